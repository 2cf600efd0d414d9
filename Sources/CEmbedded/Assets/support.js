"use strict";
// Makes the support pages quicker; each of them works without it.

const announcement = document.getElementById("announcement");

function announce(text) {
  // The same words a second time are read out only if they went away in between.
  announcement.textContent = "";
  requestAnimationFrame(() => { announcement.textContent = text; });
}

// Copying

async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Without TLS browsers give no clipboard to scripts, but still copy what is selected.
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "unseen";
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (!isCopied) throw new Error("not copied");
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  const label = button.dataset.label ??= button.textContent;
  try {
    await copy(button.dataset.copy);
    button.focus();
    button.textContent = document.body.dataset.copied;
    button.classList.add("done");
    announce(document.body.dataset.copied);
    setTimeout(() => {
      button.textContent = label;
      button.classList.remove("done");
    }, 1500);
  } catch {
    announce(document.body.dataset.copyFailed);
  }
});

// Searching while typing

const form = document.getElementById("search");

if (form) {
  const pause = 120;
  const count = document.getElementById("count");
  const results = document.getElementById("results");
  let timer;
  let running;

  function address() {
    const parameters = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (value) parameters.set(name, value);
    const query = parameters.toString();
    return form.action + (query ? "?" + query : "");
  }

  async function search() {
    const wanted = address();
    running?.abort();
    const request = running = new AbortController();
    results.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(wanted, { signal: request.signal });
      const found = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = found.getElementById("results");
      // Anything but results belongs in the window itself: the sign-in where it is, or a problem.
      if (!fresh) return location.assign(answer.redirected ? answer.url : wanted);
      results.replaceChildren(...fresh.childNodes);
      count.textContent = found.getElementById("count").textContent;
      history.replaceState(null, "", wanted);
    } catch (error) {
      if (error.name !== "AbortError") count.textContent = form.dataset.failed;
    } finally {
      if (running === request) results.removeAttribute("aria-busy");
    }
  }

  function soon(delay) {
    clearTimeout(timer);
    timer = setTimeout(search, delay);
  }

  form.addEventListener("input", (event) => soon(event.target.type === "search" ? pause : 0));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    soon(0);
  });

  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, select, textarea");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const query = document.getElementById("query");
    query.focus();
    query.select();
  });

  // The cursor goes to the end of what was searched for, to be typed on.
  const query = document.getElementById("query");
  query.setSelectionRange(query.value.length, query.value.length);
}
