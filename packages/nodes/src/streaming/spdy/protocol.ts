import type { Duplex } from "node:stream"
import type { HeaderMap } from "@pilothouse/seams"
import { type Refusal, refusal } from "../session/refusal.ts"

const header = "x-stream-protocol-version"

/** The first protocol of the client that is known here. Throws what upstream answers where there is none. */
export function negotiated(headers: HeaderMap, known: readonly string[]): string {
  if ((headers.upgrade ?? "").toLowerCase() !== "spdy/3.1") throw refusal(400, "unable to upgrade: missing upgrade headers in request")
  const requested = (headers[header] ?? "")
    .split(",")
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== "")
  // A client of before there were several.
  if (requested.length === 0) return ""
  const chosen = requested.find((protocol) => known.includes(protocol))
  if (chosen === undefined) throw cannotNegotiate(requested, known)
  return chosen
}

export function cannotNegotiate(requested: readonly string[], known: readonly string[]): Refusal {
  const message = `unable to upgrade: unable to negotiate protocol: client supports [${requested.join(" ")}], server accepts [${known.join(" ")}]`
  return refusal(403, message)
}

/** Says on a connection that was taken that it speaks SPDY from now on. */
export function acceptSpdy(connection: Duplex, protocol: string): void {
  const version = protocol === "" ? "" : `X-Stream-Protocol-Version: ${protocol}\r\n`
  connection.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n${version}\r\n`)
}
