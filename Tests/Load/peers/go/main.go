// POST /launch and GET /verify/forward-auth as a Go programmer would write them: net/http, database/sql and SQLite.
package main

import (
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"log"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	_ "github.com/mattn/go-sqlite3"
)

const (
	selectPartner = `SELECT k.digest, k.scopes, k.expires_at, coalesce(k.revoked_at, p.disabled_at), p.project_id,
		p.web_api_key, p.key_delivery, p.ttl, p.rate_limit, s.key_id, s.secret
		FROM api_key k JOIN project p USING (project_id) JOIN signing_key s ON s.state = 'active' WHERE k.key_id = ?`
	selectGateway  = "SELECT digest, scopes, expires_at, revoked_at, project_id FROM api_key WHERE key_id = ?"
	selectBusiness = "SELECT active FROM business WHERE business_id = ?"
	selectStanding = `SELECT s.secret, p.web_api_key, p.replay_policy = 'once', p.disabled_at, p.created_at,
		(SELECT at FROM log_out WHERE project_id = ?2 AND user_digest = ?3)
		FROM signing_key s LEFT JOIN project p ON p.project_id = ?2 WHERE s.key_id = ?1`

	// More connections than one core can use are opened and closed for nothing.
	connections = 4
)

type server struct {
	partner, gateway, business, standing *sql.Stmt
	lock                                 sync.RWMutex
	keys                                 map[string]*projectKey
	bucketLock                           sync.Mutex
	buckets                              map[string]*bucket
	used                                 *usedLaunches
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	w.Write([]byte(`{"type":"/problems/` + code + `","status":` + strconv.Itoa(status) + `,"code":"` + code + `"}`))
}

// holder looks up who holds the request's API key, into fields; the code is empty unless it is refused.
func (s *server) holder(r *http.Request, find *sql.Stmt, scope string, fields ...any) (code string) {
	kind, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if kind != "Bearer" || len(key) != 66 || !strings.HasPrefix(key, "llk_") {
		return "malformed_api_key"
	}
	var digest []byte
	var scopes string
	var expiresAt, revokedAt sql.NullInt64
	err := find.QueryRow("key_" + key[4:16]).Scan(append([]any{&digest, &scopes, &expiresAt, &revokedAt}, fields...)...)
	asked := sha256.Sum256([]byte(key))
	switch {
	case err != nil || subtle.ConstantTimeCompare(asked[:], digest) != 1:
		return "invalid_api_key"
	case revokedAt.Valid || expiresAt.Valid && expiresAt.Int64 <= time.Now().UnixMilli():
		return "revoked_api_key"
	}
	for _, one := range strings.Fields(scopes) {
		if one == scope {
			return ""
		}
	}
	return "insufficient_scope"
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	// A call into C that waits for the disk keeps its P for up to 10 ms; with one P everybody waits with it.
	if os.Getenv("GOMAXPROCS") == "" && runtime.GOMAXPROCS(0) < 2 {
		runtime.GOMAXPROCS(2)
	}
	// The heap is small, and at the usual 100 % most of the collector's work would be for nothing.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	path := os.Getenv("PEER_DATABASE")
	db := must(sql.Open("sqlite3", "file:"+path+"?_journal_mode=WAL&_busy_timeout=5000&_query_only=1"))
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	s := &server{
		partner: must(db.Prepare(selectPartner)), gateway: must(db.Prepare(selectGateway)),
		business: must(db.Prepare(selectBusiness)), standing: must(db.Prepare(selectStanding)),
		keys: map[string]*projectKey{}, buckets: map[string]*bucket{}, used: must(openUsedLaunches(path)),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/launch", s.launch)
	mux.HandleFunc("/verify/forward-auth", s.forwardAuth)
	listener := &http.Server{
		Addr: "127.0.0.1:" + os.Getenv("PEER_PORT"), Handler: mux, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute,
	}
	log.Fatal(listener.ListenAndServe())
}
