/** Whether the time zone is known. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== ""
  } catch {
    // How Intl says that it does not know a zone.
    return false
  }
}

/** A moment as a clock in the zone shows it: "2026-01-05T13:00:00+01:00", with Z where the zone is at UTC. */
export function formatInZone(moment: number, timeZone: string): string {
  const clock = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "longOffset",
  })
  const parts = Object.fromEntries(clock.formatToParts(moment).map(({ type, value }) => [type, value]))
  // "GMT+01:00"; at UTC "GMT" in some versions of the data and "GMT+00:00" in others.
  const offset = (parts["timeZoneName"] ?? "").replace("GMT", "").replace("+00:00", "") || "Z"
  const date = `${String(parts["year"]).padStart(4, "0")}-${parts["month"]}-${parts["day"]}`
  return `${date}T${parts["hour"]}:${parts["minute"]}:${parts["second"]}${offset.slice(0, 6)}`
}
