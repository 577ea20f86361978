import type { IncomingHttpHeaders } from "node:http2"
import type { Protocol } from "../push/responses.ts"
import { adsMethods } from "../xds/methods.ts"
import { statusHeaders } from "./grpc-status.ts"

/** A request of HTTP/2 that is no call of ADS: what it is answered with, and why. */
export interface RefusedCall {
  readonly headers: Readonly<Record<string, string | number>>
  readonly why: string
}

/** Which protocol a request speaks, or why it is none that we serve. */
export function callOf(headers: IncomingHttpHeaders): Protocol | RefusedCall {
  const { ":method": method = "", ":path": path = "", "content-type": type = "" } = headers
  if (method !== "POST") return { headers: { ":status": 405, allow: "POST" }, why: `expected POST, found ${method}` }
  if (!isGrpc(type)) return { headers: { ":status": 415 }, why: `expected application/grpc, found ${type || "no content-type"}` }
  if (path === adsMethods.sotw) return "sotw"
  if (path === adsMethods.delta) return "delta"
  const why = `expected a method of ADS, found ${path}`
  return { headers: { ":status": 200, "content-type": "application/grpc", ...statusHeaders("UNIMPLEMENTED", why) }, why }
}

/** "application/grpc+proto" is; "application/grpc-web" is another protocol. */
function isGrpc(contentType: string): boolean {
  return /^application\/grpc(?:$|[+;])/i.test(contentType)
}
