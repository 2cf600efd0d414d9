package main

import (
	"net/http"
	"net/textproto"
	"strings"
)

// What a bundle says, strictly read, and its signature base (RFC 9421).

const (
	tag = "moment-launch"
	alg = "hmac-sha256"
)

var (
	needed = []string{"@method", "@authority", "@path", "@query",
		"x-moment-project-id", "x-moment-web-api-key", "x-moment-user-id", "x-moment-platform"}
	gatewaysOwn = map[string]bool{"authorization": true, "x-forwarded-method": true, "x-forwarded-host": true, "x-forwarded-uri": true}
)

// judged is the request that the gateway holds.
type judged struct {
	method, authority, target, path, query string
	header                                 http.Header
}

func once(h http.Header, name string, usable func(byte) bool) (string, bool) {
	values := h[name]
	if len(values) != 1 || values[0] == "" {
		return "", false
	}
	for i := 0; i < len(values[0]); i++ {
		if b := values[0][i]; b == ',' || !usable(b) {
			return "", false
		}
	}
	return values[0], true
}

func isHostByte(b byte) bool { return isNameByte(b) || b == '.' || b == ':' || b == '[' || b == ']' }

// forwarded takes the request from X-Forwarded-*, each there once.
func forwarded(h http.Header) (j judged, ok bool) {
	method, ok1 := once(h, "X-Forwarded-Method", isNameByte)
	host, ok2 := once(h, "X-Forwarded-Host", isHostByte)
	target, ok3 := once(h, "X-Forwarded-Uri", isGraphic)
	if !ok1 || !ok2 || !ok3 || target[0] != '/' {
		return j, false
	}
	authority := strings.TrimSuffix(strings.ToLower(host), ":443")
	if authority == "" || strings.HasSuffix(authority, ":443") {
		return j, false
	}
	j = judged{method: method, authority: authority, target: target, path: target, query: "?", header: h}
	if at := strings.IndexByte(target, '?'); at >= 0 {
		j.path, j.query = target[:at], target[at:]
	}
	return j, true
}

// values are those of a header, given in lower case as a component's name is; none of the gateway's own.
func (j *judged) values(name string) []string {
	if gatewaysOwn[name] {
		return nil
	}
	for i := 0; i < len(name); i++ {
		if name[i] >= 'A' && name[i] <= 'Z' {
			return nil
		}
	}
	return j.header[textproto.CanonicalMIMEHeaderKey(name)]
}

func (j *judged) value(name string) string {
	if v := j.values(name); len(v) > 0 {
		return strings.Trim(v[0], " \t")
	}
	return ""
}

// received is a launch's signature, not yet believed, with the base that it should be the code of.
type received struct {
	keyID            string
	created, expires int64
	nonce            uuid7
	code             []byte // nil where Signature has none of that label
	base             []byte
}

func (r *received) end() int64 {
	if last := r.created + 3600; last < r.expires {
		return last
	}
	return r.expires
}

func read(j *judged) (r *received, refusal string) {
	in, sig := j.header["Signature-Input"], j.header["Signature"]
	if len(in) == 0 || len(sig) == 0 {
		return nil, "missing_signature"
	}
	inputs, ok1 := dictionary(strings.Join(in, ", "))
	signatures, ok2 := dictionary(strings.Join(sig, ", "))
	if !ok1 || !ok2 {
		return nil, "malformed_signature"
	}
	var m *member
	for i := range inputs {
		if t, ok := inputs[i].parameter("tag").(string); ok && t == tag {
			if m != nil {
				return nil, "malformed_signature"
			}
			m = &inputs[i]
		}
	}
	if m == nil {
		return nil, "wrong_tag"
	}
	if !m.isList {
		return nil, "malformed_signature"
	}
	// What is malformed comes before what is missing, wherever it stands.
	lacking := false
	names := make([]string, 0, len(m.list))
	for i := range m.list {
		name, ok := m.list[i].value.(string)
		if !ok || contains(names, name) || (!strings.HasPrefix(name, "@") && len(j.values(name)) > 1) {
			return nil, "malformed_signature"
		}
		lacking = lacking || len(m.list[i].parameters) > 0
		names = append(names, name)
	}
	r = &received{}
	keyID, ok1 := text(m, "keyid")
	algorithm, ok2 := text(m, "alg")
	nonce, ok3 := text(m, "nonce")
	if !ok1 || !ok2 || !ok3 {
		return nil, "malformed_signature"
	}
	if nonce != nil {
		if r.nonce, ok1 = parseUUID7(*nonce); !ok1 {
			return nil, "malformed_signature"
		}
	}
	created, ok1 := seconds(m, "created")
	expires, ok2 := seconds(m, "expires")
	if !ok1 || !ok2 {
		return nil, "malformed_signature"
	}
	for i := range signatures {
		if signatures[i].key == m.key {
			code, ok := signatures[i].value.([]byte)
			if !ok {
				return nil, "malformed_signature"
			}
			r.code = code
		}
	}
	for _, name := range needed {
		lacking = lacking || !contains(names, name)
	}
	if lacking || algorithm == nil || *algorithm != alg || keyID == nil || nonce == nil || created < 0 || expires < 0 {
		return nil, "missing_component"
	}
	r.keyID, r.created, r.expires = *keyID, created, expires

	b := make([]byte, 0, 1024)
	for _, name := range names {
		b = append(append(append(b, '"'), name...), `": `...)
		switch name {
		case "@method":
			b = append(b, j.method...)
		case "@authority":
			b = append(b, j.authority...)
		case "@path":
			b = append(b, j.path...)
		case "@query":
			b = append(b, j.query...)
		case "@scheme":
			b = append(b, "https"...)
		case "@target-uri":
			b = append(append(append(b, "https://"...), j.authority...), j.target...)
		case "@request-target":
			b = append(b, j.target...)
		default:
			v := j.values(name)
			if len(v) == 0 {
				return nil, "missing_component"
			}
			b = append(b, strings.Trim(v[0], " \t")...)
		}
		b = append(b, '\n')
	}
	r.base = append(append(b, `"@signature-params": `...), m.text...)
	return r, ""
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

func text(m *member, name string) (*string, bool) {
	switch v := m.parameter(name).(type) {
	case nil:
		return nil, true
	case string:
		return &v, true
	}
	return nil, false
}

// seconds is a time in whole seconds, -1 where there is none; from 1e11 on it can only be milliseconds.
func seconds(m *member, name string) (int64, bool) {
	switch v := m.parameter(name).(type) {
	case nil:
		return -1, true
	case int64:
		return v, v >= 0 && v < 100_000_000_000
	}
	return 0, false
}
