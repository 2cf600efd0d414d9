package main

import "crypto/rand"

// uuid7 is a launch id: RFC 9562 version 7.
type uuid7 [16]byte

const hexDigits = "0123456789abcdef"

func newUUID7(milliseconds int64) (id uuid7) {
	if _, err := rand.Read(id[6:]); err != nil {
		panic(err)
	}
	for i := 0; i < 6; i++ {
		id[i] = byte(milliseconds >> (40 - 8*i))
	}
	id[6] = 0x70 | id[6]&0x0f
	id[8] = 0x80 | id[8]&0x3f
	return id
}

func parseUUID7(s string) (id uuid7, ok bool) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return id, false
	}
	n := 0
	for i := 0; i < 36; i++ {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			continue
		}
		var d byte
		switch b := s[i]; {
		case isDigit(b):
			d = b - '0'
		case b >= 'a' && b <= 'f':
			d = b - 'a' + 10
		case b >= 'A' && b <= 'F':
			d = b - 'A' + 10
		default:
			return id, false
		}
		id[n/2] = id[n/2]<<4 | d
		n++
	}
	return id, id[6]>>4 == 7 && id[8]>>6 == 2
}

func (id uuid7) milliseconds() int64 {
	return int64(id[0])<<40 | int64(id[1])<<32 | int64(id[2])<<24 | int64(id[3])<<16 | int64(id[4])<<8 | int64(id[5])
}

func (id uuid7) String() string {
	var s [36]byte
	n := 0
	for i, b := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			s[n] = '-'
			n++
		}
		s[n], s[n+1] = hexDigits[b>>4], hexDigits[b&15]
		n += 2
	}
	return string(s[:])
}
