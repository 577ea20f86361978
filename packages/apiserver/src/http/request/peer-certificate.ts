import type { Http2ServerRequest } from "node:http2"
import { TLSSocket } from "node:tls"
import type { Clock } from "@pilothouse/seams"
import type { Peer } from "./peer.ts"

/** What a connection showed, and from when until when that is good. */
interface Shown {
  readonly certificate: Peer["certificate"]
  readonly from: number
  readonly to: number
}

/**
 * A connection has one certificate for all its requests, and reading it costs as much as a small request: it is read once.
 * Its time is looked at with each: a connection, and a TLS session that is taken up again, may outlive it.
 */
export class PeerCertificates {
  readonly #byConnection = new WeakMap<object, Shown>()
  readonly #clock: Pick<Clock, "now">

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock
  }

  of(request: Http2ServerRequest): Peer["certificate"] {
    const connection = request.httpVersionMajor === 2 ? request.stream.session : request.socket
    if (connection === undefined) return undefined
    const known = this.#byConnection.get(connection)
    if (known) return this.#now(known)
    const shown = read(connection instanceof TLSSocket ? connection : (request.socket as TLSSocket))
    this.#byConnection.set(connection, shown)
    return this.#now(shown)
  }

  #now({ certificate, from, to }: Shown): Peer["certificate"] {
    if (certificate === undefined) return undefined
    const now = this.#clock.now()
    return from <= now && now <= to ? certificate : "untrusted"
  }
}

function read(socket: TLSSocket): Shown {
  const { subject, fingerprint256, valid_from, valid_to } = socket.getPeerCertificate()
  const [from, to] = [Date.parse(valid_from), Date.parse(valid_to)]
  if (subject === undefined) return { certificate: undefined, from, to }
  if (!socket.authorized) return { certificate: "untrusted", from, to }
  const fingerprint = fingerprint256.replaceAll(":", "").toLowerCase()
  return { certificate: { commonName: texts(subject.CN).at(-1) ?? "", organizations: texts(subject.O), fingerprint }, from, to }
}

/** Of several common names the last counts, as in Go. Node gives a list where a subject has a part several times, whatever its types say. */
function texts(part: string | readonly string[] | undefined): readonly string[] {
  if (part === undefined) return []
  return typeof part === "string" ? [part] : part
}
