package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"errors"
	"net/http"
	"time"
)

// How far ahead of this clock another server's may be, in seconds.
const skew = 30

// refuseBundle answers 401 for the bundle, 403 for the gateway. The body is dropped, so a header has the code too.
func refuseBundle(w http.ResponseWriter, status int, code string) {
	h := w.Header()
	h["Cache-Control"] = noStore
	h.Set("X-Launch-Code", code)
	refuse(w, status, code)
}

// passed is a launch that may pass, unless it may do so once and already has.
type passed struct {
	id                              uuid7
	project, user, platform, webKey string
	once                            bool
}

// standing is what a project's bundles are judged by at this moment.
type standing struct {
	secret                           []byte
	webKey                           sql.NullString
	once                             sql.NullBool
	disabledAt, createdAt, loggedOut sql.NullInt64
}

// judge decides in this order: parse, tag, components, key, MAC, authority, time, project, revocation. The MAC is
// checked before anything that the bundle says is believed.
func (s *server) judge(j *judged, only sql.NullString) (p *passed, refusal string, err error) {
	r, refusal := read(j)
	if refusal != "" {
		return nil, refusal, nil
	}
	p = &passed{id: r.nonce, project: j.value("x-moment-project-id"), user: j.value("x-moment-user-id"), platform: j.value("x-moment-platform")}
	digest := sha256.Sum256([]byte(p.project + "\x00" + p.user))
	var found standing
	err = s.standing.QueryRow(r.keyID, p.project, digest[:]).Scan(&found.secret, &found.webKey, &found.once,
		&found.disabledAt, &found.createdAt, &found.loggedOut)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, "unknown_key", nil
	case err != nil:
		return nil, "", err
	}
	if !found.webKey.Valid || only.Valid && only.String != p.project || r.code == nil ||
		!hmac.Equal(s.key(r.keyID, found.secret, p.project).code(r.base), r.code) {
		return nil, "signature_mismatch", nil
	}
	if !visible(p.user) || p.platform != "IOS" && p.platform != "ANDROID" {
		return nil, "malformed_signature", nil
	}
	p.webKey, p.once = found.webKey.String, found.once.Bool
	now := time.Now().UnixMilli()
	switch at := r.nonce.milliseconds(); {
	case j.authority != authority:
		return nil, "authority_mismatch", nil
	case r.created > now/1000+skew:
		return nil, "not_yet_valid", nil
	case now >= r.end()*1000:
		return nil, "expired", nil
	case found.disabledAt.Valid:
		return nil, "project_disabled", nil
	case at < found.createdAt.Int64 || found.loggedOut.Valid && at <= found.loggedOut.Int64:
		return nil, "revoked", nil
	}
	return p, "", nil
}

func (s *server) forwardAuth(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		refuse(w, http.StatusMethodNotAllowed, "method_not_allowed")
		return
	}
	var only sql.NullString
	if code := s.holder(r, s.gateway, "verify", &only); code != "" {
		refuseBundle(w, http.StatusForbidden, code)
		return
	}
	j, ok := forwarded(r.Header)
	if !ok || r.URL.RawQuery != "" || r.URL.ForceQuery {
		refuseBundle(w, http.StatusForbidden, "invalid_request")
		return
	}
	p, refusal, err := s.judge(&j, only)
	if err == nil && refusal == "" && p.once {
		var first bool
		if first, err = s.used.useUp(p.id.String()); err == nil && !first {
			refusal = "replayed"
		}
	}
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, "unavailable")
		return
	}
	if refusal != "" {
		refuseBundle(w, http.StatusUnauthorized, refusal)
		return
	}
	h := w.Header()
	h["Cache-Control"] = noStore
	h["X-Moment-Project-Id"] = []string{p.project}
	h["X-Moment-User-Id"] = []string{p.user}
	h["X-Moment-Platform"] = []string{p.platform}
	h["X-Moment-Web-Api-Key"] = []string{p.webKey}
	w.WriteHeader(http.StatusNoContent)
}

var noStore = []string{"no-store"}
