import type { Http2ServerRequest } from "node:http2"
import { TLSSocket } from "node:tls"
import type { Peer } from "./peer.ts"

/** A connection has one certificate for all its requests, and reading it costs as much as a small request: it is read once. */
export class PeerCertificates {
  readonly #byConnection = new WeakMap<object, { readonly certificate: Peer["certificate"] }>()

  of(request: Http2ServerRequest): Peer["certificate"] {
    const connection = request.httpVersionMajor === 2 ? request.stream.session : request.socket
    if (connection === undefined) return undefined
    const known = this.#byConnection.get(connection)
    if (known) return known.certificate
    const certificate = read(connection instanceof TLSSocket ? connection : (request.socket as TLSSocket))
    this.#byConnection.set(connection, { certificate })
    return certificate
  }
}

function read(socket: TLSSocket): Peer["certificate"] {
  const { subject } = socket.getPeerCertificate()
  if (subject === undefined) return undefined
  if (!socket.authorized) return "untrusted"
  return { commonName: texts(subject.CN)[0] ?? "", organizations: texts(subject.O) }
}

/** Node gives a list where a subject has a part several times, whatever its types say. */
function texts(part: string | readonly string[] | undefined): readonly string[] {
  if (part === undefined) return []
  return typeof part === "string" ? [part] : part
}
