package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding"
	"hash"
)

const mostKeys = 4096

// projectKey is an HMAC's two inner states, so that a code costs no key schedule.
type projectKey struct{ inner, outer []byte }

func sum(key []byte, data ...[]byte) []byte {
	m := hmac.New(sha256.New, key)
	for _, d := range data {
		m.Write(d)
	}
	return m.Sum(nil)
}

// derive makes the project's key by HKDF-SHA256 (RFC 5869) without salt: one block is 32 bytes.
func derive(secret []byte, project string) *projectKey {
	key := sum(sum(make([]byte, 32), secret), []byte("launchlink/launch-signature/v1/"+project), []byte{1})
	state := func(pad byte) []byte {
		block := make([]byte, 64)
		copy(block, key)
		for i := range block {
			block[i] ^= pad
		}
		h := sha256.New()
		h.Write(block)
		s, _ := h.(encoding.BinaryMarshaler).MarshalBinary()
		return s
	}
	return &projectKey{state(0x36), state(0x5c)}
}

// code is the HMAC-SHA256 of data.
func (k *projectKey) code(data []byte) []byte {
	h := sha256.New()
	resume(h, k.inner)
	h.Write(data)
	var inner, outer [32]byte
	in := h.Sum(inner[:0])
	resume(h, k.outer)
	h.Write(in)
	return h.Sum(outer[:0])
}

func resume(h hash.Hash, state []byte) {
	if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
		panic(err)
	}
}

// key is the project's own one of a signing key, derived once.
func (s *server) key(id string, secret []byte, project string) *projectKey {
	name := id + project
	s.lock.RLock()
	known := s.keys[name]
	s.lock.RUnlock()
	if known != nil {
		return known
	}
	made := derive(secret, project)
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.keys) >= mostKeys {
		s.keys = map[string]*projectKey{}
	}
	s.keys[name] = made
	return made
}
