package main

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	authority = "cashback-ui.moment.fairytech.ai"
	covered   = `("@method" "@authority" "@path" "@query" "x-moment-project-id" "x-moment-web-api-key" ` +
		`"x-moment-user-id" "x-moment-platform")`
)

type launchRequest struct {
	UserID     *string `json:"user_id"`
	Platform   *string `json:"platform"`
	Page       *string `json:"page"`
	BusinessID *string `json:"business_id"`
	TTL        *int64  `json:"ttl_seconds"`
}

type launchHeaders struct {
	ProjectID string `json:"x-moment-project-id"`
	WebAPIKey string `json:"x-moment-web-api-key"`
	UserID    string `json:"x-moment-user-id"`
	Platform  string `json:"x-moment-platform"`
	Input     string `json:"signature-input"`
	Signature string `json:"signature"`
}

type launchAnswer struct {
	LaunchID   string        `json:"launch_id"`
	Method     string        `json:"method"`
	URL        string        `json:"url"`
	RedirectTo string        `json:"redirect_to"`
	DeepLink   string        `json:"deep_link"`
	Headers    launchHeaders `json:"headers"`
	IssuedAt   string        `json:"issued_at"`
	ExpiresAt  string        `json:"expires_at"`
	ExpiresIn  int64         `json:"expires_in"`
}

// partner is who asks for launches.
type partner struct {
	projectID, webAPIKey, delivery, signingKey string
	ttl, rate                                  int64
	secret                                     []byte
}

// bucket is what is left of a project's rate limit, and since when.
type bucket struct {
	tokens float64
	at     time.Time
}

func (s *server) take(p *partner, now time.Time) (left float64, ok bool) {
	s.bucketLock.Lock()
	defer s.bucketLock.Unlock()
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

func visible(text string) bool {
	for i := 0; i < len(text); i++ {
		if !isGraphic(text[i]) {
			return false
		}
	}
	return len(text) >= 1 && len(text) <= 128
}

func (s *server) launch(w http.ResponseWriter, r *http.Request) {
	now := time.Now().UTC()
	h := w.Header()
	h["X-Request-Id"] = []string{newUUID7(now.UnixMilli()).String()}
	if r.Method != http.MethodPost {
		refuse(w, http.StatusMethodNotAllowed, "method_not_allowed")
		return
	}
	var p partner
	code := s.holder(r, s.partner, "launch", &p.projectID, &p.webAPIKey, &p.delivery, &p.ttl, &p.rate, &p.signingKey, &p.secret)
	if code != "" {
		refuse(w, http.StatusUnauthorized, code)
		return
	}
	left, ok := s.take(&p, now)
	h["Ratelimit-Policy"] = []string{`"launch";q=` + strconv.FormatInt(2*p.rate, 10) + ";w=2"}
	h["Ratelimit"] = []string{`"launch";r=` + strconv.FormatInt(int64(left), 10) + ";t=1"}
	if !ok {
		refuse(w, http.StatusTooManyRequests, "rate_limited")
		return
	}
	if r.Header.Get("Content-Type") != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, "unsupported_media_type")
		return
	}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, 16*1024))
	decoder.DisallowUnknownFields()
	var asked launchRequest
	if decoder.Decode(&asked) != nil || decoder.More() {
		refuse(w, http.StatusBadRequest, "invalid_json")
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
		refuse(w, http.StatusUnprocessableEntity, "invalid_field")
		return
	}
	body, err := json.Marshal(s.signed(&asked, &p, now, ttl))
	if err != nil {
		refuse(w, http.StatusInternalServerError, "internal")
		return
	}
	h["Content-Type"] = []string{"application/json"}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	h["Cache-Control"] = noStore
	w.Write(body)
}

func (s *server) signed(asked *launchRequest, p *partner, now time.Time, ttl int64) *launchAnswer {
	id := newUUID7(now.UnixMilli()).String()
	redirect := "/cashback/detail?business_id=" + *asked.BusinessID
	query := "?redirect_to=" + url.QueryEscape(redirect)
	delivered := "launch-" + id
	if p.delivery == "direct" {
		delivered = p.webAPIKey
	}
	parameters := covered + ";created=" + strconv.FormatInt(now.Unix(), 10) + ";expires=" + strconv.FormatInt(now.Unix()+ttl, 10) +
		`;nonce="` + id + `";alg="` + alg + `";keyid="` + p.signingKey + `";tag="` + tag + `"`
	var base strings.Builder
	base.Grow(1024)
	base.WriteString("\"@method\": GET\n\"@authority\": " + authority + "\n\"@path\": /main\n\"@query\": " + query)
	base.WriteString("\n\"x-moment-project-id\": " + p.projectID + "\n\"x-moment-web-api-key\": " + delivered)
	base.WriteString("\n\"x-moment-user-id\": " + *asked.UserID + "\n\"x-moment-platform\": " + *asked.Platform)
	base.WriteString("\n\"@signature-params\": " + parameters)
	code := s.key(p.signingKey, p.secret, p.projectID).code([]byte(base.String()))
	return &launchAnswer{
		LaunchID: id, Method: "GET", URL: "https://" + authority + "/main" + query, RedirectTo: redirect,
		DeepLink: "moment://cashback" + query,
		Headers: launchHeaders{
			ProjectID: p.projectID, WebAPIKey: delivered, UserID: *asked.UserID, Platform: *asked.Platform,
			Input: "launch=" + parameters, Signature: "launch=:" + base64.StdEncoding.EncodeToString(code) + ":",
		},
		IssuedAt: now.Format(time.RFC3339), ExpiresAt: now.Add(time.Duration(ttl) * time.Second).Format(time.RFC3339),
		ExpiresIn: ttl,
	}
}
