// Pages for people who are not signed in: tells the server the browser's time zone, for a first setting.
for (const field of document.querySelectorAll("[data-zone]")) {
  field.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
}
