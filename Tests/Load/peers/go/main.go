// POST /launch as a Go programmer would write it: net/http, database/sql and SQLite.
package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	_ "github.com/mattn/go-sqlite3"
)

const (
	authority = "cashback-ui.moment.fairytech.ai"
	covered   = `("@method" "@authority" "@path" "@query" "x-moment-project-id" "x-moment-web-api-key" ` +
		`"x-moment-user-id" "x-moment-platform")`
	lookUp = `SELECT k.digest, k.scopes, k.expires_at, k.revoked_at, p.project_id, p.web_api_key, p.key_delivery, p.ttl,
		p.rate_limit, p.disabled_at, s.key_id, s.secret
		FROM api_key k JOIN project p USING (project_id) JOIN signing_key s ON s.state = 'active' WHERE k.key_id = ?`
)

type launchRequest struct {
	UserID     *string `json:"user_id"`
	Platform   *string `json:"platform"`
	Page       *string `json:"page"`
	BusinessID *string `json:"business_id"`
	TTL        *int64  `json:"ttl_seconds"`
}

type launchAnswer struct {
	LaunchID   string            `json:"launch_id"`
	Method     string            `json:"method"`
	URL        string            `json:"url"`
	RedirectTo string            `json:"redirect_to"`
	DeepLink   string            `json:"deep_link"`
	Headers    map[string]string `json:"headers"`
	IssuedAt   string            `json:"issued_at"`
	ExpiresAt  string            `json:"expires_at"`
	ExpiresIn  int64             `json:"expires_in"`
}

type partner struct {
	digest, secret                                     []byte
	scopes, projectID, webAPIKey, delivery, signingKey string
	expiresAt, revokedAt, disabledAt                   sql.NullInt64
	ttl, rate                                          int64
}

type bucket struct {
	tokens float64
	at     time.Time
}

type server struct {
	find, business *sql.Stmt
	lock           sync.Mutex
	buckets        map[string]*bucket
	derived        sync.Map
}

func (s *server) take(p *partner, now time.Time) (left float64, ok bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	full := float64(2 * p.rate)
	b := s.buckets[p.projectID]
	if b == nil {
		b = &bucket{full, now}
		s.buckets[p.projectID] = b
	}
	b.tokens += now.Sub(b.at).Seconds() * float64(p.rate)
	if b.tokens > full {
		b.tokens = full
	}
	b.at = now
	if b.tokens < 1 {
		return b.tokens, false
	}
	b.tokens--
	return b.tokens, true
}

func mac(key, message []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(message)
	return h.Sum(nil)
}

// The project's key by HKDF-SHA256 (RFC 5869), one block.
func (s *server) key(p *partner) []byte {
	name := p.signingKey + p.projectID
	if known, ok := s.derived.Load(name); ok {
		return known.([]byte)
	}
	made := mac(mac(make([]byte, 32), p.secret), []byte("launchlink/launch-signature/v1/"+p.projectID+"\x01"))
	s.derived.Store(name, made)
	return made
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"type":"/problems/%s","status":%d,"code":"%s"}`, code, status, code)
}

func (s *server) authenticate(r *http.Request, now time.Time) (*partner, string) {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if scheme != "Bearer" || len(key) != 66 || !strings.HasPrefix(key, "llk_") {
		return nil, "malformed_api_key"
	}
	var p partner
	err := s.find.QueryRow("key_"+key[4:16]).Scan(&p.digest, &p.scopes, &p.expiresAt, &p.revokedAt, &p.projectID,
		&p.webAPIKey, &p.delivery, &p.ttl, &p.rate, &p.disabledAt, &p.signingKey, &p.secret)
	digest := sha256.Sum256([]byte(key))
	if err != nil || subtle.ConstantTimeCompare(digest[:], p.digest) != 1 {
		return nil, "invalid_api_key"
	}
	if p.revokedAt.Valid || p.disabledAt.Valid || p.expiresAt.Valid && p.expiresAt.Int64 <= now.UnixMilli() ||
		!strings.Contains(p.scopes, "launch") {
		return nil, "revoked_api_key"
	}
	return &p, ""
}

func visible(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] < 0x21 || text[i] > 0x7e {
			return false
		}
	}
	return len(text) >= 1 && len(text) <= 128
}

func escaped(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}

func uuid7(now time.Time) string {
	var id [16]byte
	rand.Read(id[6:])
	var at [8]byte
	binary.BigEndian.PutUint64(at[:], uint64(now.UnixMilli()))
	copy(id[:6], at[2:])
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	h := hex.EncodeToString(id[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

func (s *server) launch(w http.ResponseWriter, r *http.Request) {
	now := time.Now().UTC()
	w.Header().Set("X-Request-Id", uuid7(now))
	if r.Method != http.MethodPost {
		refuse(w, 405, "method_not_allowed")
		return
	}
	p, problem := s.authenticate(r, now)
	if p == nil {
		refuse(w, 401, problem)
		return
	}
	left, ok := s.take(p, now)
	w.Header().Set("RateLimit-Policy", fmt.Sprintf(`"launch";q=%d;w=2`, 2*p.rate))
	w.Header().Set("RateLimit", fmt.Sprintf(`"launch";r=%d;t=1`, int64(left)))
	if !ok {
		refuse(w, 429, "rate_limited")
		return
	}
	if r.Header.Get("Content-Type") != "application/json" {
		refuse(w, 415, "unsupported_media_type")
		return
	}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, 16*1024))
	decoder.DisallowUnknownFields()
	var asked launchRequest
	if decoder.Decode(&asked) != nil || decoder.More() {
		refuse(w, 400, "invalid_json")
		return
	}
	ttl := p.ttl
	if asked.TTL != nil {
		ttl = *asked.TTL
	}
	var active bool
	if asked.UserID == nil || !visible(*asked.UserID) || asked.Platform == nil ||
		*asked.Platform != "IOS" && *asked.Platform != "ANDROID" || ttl < 10 || ttl > p.ttl ||
		asked.Page == nil || *asked.Page != "program" || asked.BusinessID == nil ||
		s.business.QueryRow(*asked.BusinessID).Scan(&active) != nil || !active {
		refuse(w, 422, "invalid_field")
		return
	}

	id := uuid7(now)
	redirect := "/cashback/detail?business_id=" + *asked.BusinessID
	query := "?redirect_to=" + escaped(redirect)
	delivered := "launch-" + id
	if p.delivery == "direct" {
		delivered = p.webAPIKey
	}
	parameters := fmt.Sprintf(`%s;created=%d;expires=%d;nonce="%s";alg="hmac-sha256";keyid="%s";tag="moment-launch"`,
		covered, now.Unix(), now.Unix()+ttl, id, p.signingKey)
	base := "\"@method\": GET\n\"@authority\": " + authority + "\n\"@path\": /main\n\"@query\": " + query +
		"\n\"x-moment-project-id\": " + p.projectID + "\n\"x-moment-web-api-key\": " + delivered +
		"\n\"x-moment-user-id\": " + *asked.UserID + "\n\"x-moment-platform\": " + *asked.Platform +
		"\n\"@signature-params\": " + parameters
	signature := base64.StdEncoding.EncodeToString(mac(s.key(p), []byte(base)))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	body, err := json.Marshal(launchAnswer{
		LaunchID: id, Method: "GET", URL: "https://" + authority + "/main" + query, RedirectTo: redirect,
		DeepLink: "moment://cashback" + query,
		Headers: map[string]string{
			"x-moment-project-id": p.projectID, "x-moment-web-api-key": delivered, "x-moment-user-id": *asked.UserID,
			"x-moment-platform": *asked.Platform, "signature-input": "launch=" + parameters,
			"signature": "launch=:" + signature + ":",
		},
		IssuedAt: now.Format(time.RFC3339), ExpiresAt: now.Add(time.Duration(ttl) * time.Second).Format(time.RFC3339),
		ExpiresIn: ttl,
	})
	if err != nil {
		refuse(w, 500, "internal")
		return
	}
	w.Write(body)
}

func main() {
	db, err := sql.Open("sqlite3", "file:"+os.Getenv("PEER_DATABASE")+"?_journal_mode=WAL&_busy_timeout=5000")
	if err != nil {
		log.Fatal(err)
	}
	s := &server{buckets: map[string]*bucket{}}
	if s.find, err = db.Prepare(lookUp); err != nil {
		log.Fatal(err)
	}
	if s.business, err = db.Prepare("SELECT active FROM business WHERE business_id = ?"); err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/launch", s.launch)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PEER_PORT"), nil))
}
