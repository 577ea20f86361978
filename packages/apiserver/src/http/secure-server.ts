import { createSecureServer, type Http2SecureServer, type SecureServerOptions } from "node:http2"
import type { Socket } from "node:net"
import type { SecureVersion } from "node:tls"
import type { KeyAndCertificate } from "../certificates/certificates.ts"

/** `ensureCertificates` returns all of it. A client with a certificate that the authority signed is authenticated by it. */
export interface ServingCertificates {
  readonly server: KeyAndCertificate
  readonly ca: Pick<KeyAndCertificate, "certificate">
}

/** What clients must speak at least; node's own choice where it is left out: TLS 1.2, and the suites that are held to be safe. */
export interface TlsLimits {
  readonly minVersion?: SecureVersion
  /** In OpenSSL's names, with ":" between them. */
  readonly ciphers?: string
}

/** Megabytes that one HTTP/2 connection may hold. A controller manager has a hundred streams on one: node's 10 would refuse some. */
const sessionMemory = 256

/** Bytes of all headers of a request, as Go's. A client that impersonates a member of many groups sends many. */
const headerLimit = 1024 * 1024

/**
 * Both as kube-apiserver says them: it adds to its limit what ten headers take beside their text. A client that sends the largest frames allowed, as Go's
 * clients do, can fill the limit, and is refused above it by a reset of that one stream (theirs: a 431, or from 8 KB above the limit on the end of the
 * connection). Of 16 KiB frames, which nghttp2's clients send whatever is said here, nine are read, and more end the connection; node has no option for it.
 */
const settings = { maxHeaderListSize: headerLimit + 320, maxFrameSize: 256 * 1024 }

/** As many as Go's clients use on one connection before the server announces a number. kube-apiserver says 100. */
export const defaultMaxStreams = 250

/** Milliseconds in which the headers of a request over HTTP/1.1 must be complete (kube-apiserver: 32 s), and how often node checks that. */
const [headersTimeout, connectionsCheckingInterval] = [30_000, 5000]

/**
 * Off: idle connections end as the limits of all connections say. Node would end those of HTTP/1.1 after 6 s: a client that is late by a moment, on a
 * busy machine for example, sends its next request into a connection that is closed.
 */
const keepAliveTimeout = 0

/**
 * Headers of a request over HTTP/2. They need not be long to be many: HPACK writes one that was there before as a single byte, and 250 requests of
 * 28,000 such headers took 1.7 GB. A member of more than two thousand groups is impersonated over HTTP/1.1.
 */
const headerPairs = 2048

/** By node's codes; whatever else cannot be read is a 400. */
const faults: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
}

/** Speaks HTTP/2 and HTTP/1.1; both take headers as large as upstream does. */
export function secureServer(
  certificates: ServingCertificates,
  limits: TlsLimits = {},
  maxConcurrentStreams = defaultMaxStreams,
): Http2SecureServer {
  // The interval is an option of the HTTP/1.1 side, which node's types leave out.
  const options: SecureServerOptions & { readonly connectionsCheckingInterval: number } = {
    ...secureContext(certificates, limits),
    allowHTTP1: true,
    // A certificate is asked for and never demanded: tokens and health checks come without one.
    requestCert: true,
    rejectUnauthorized: false,
    maxSessionMemory: sessionMemory,
    maxHeaderListPairs: headerPairs,
    settings: { ...settings, maxConcurrentStreams },
    connectionsCheckingInterval,
  }
  const server = createSecureServer(options)
  // The HTTP/1.1 side reads these from the server itself. Without a count: node would leave out what comes after the 1000th header, and say nothing.
  Object.assign(server, { maxHeaderSize: headerLimit, maxHeadersCount: 0, headersTimeout, keepAliveTimeout })
  answerFaults(server)
  return server
}

/** In the words of node. */
export function secureContext({ server, ca }: ServingCertificates, limits: TlsLimits = {}) {
  return { ...limits, cert: server.certificate, key: server.key, ca: ca.certificate }
}

/** There is no request yet that a Status could answer: these are Go's words and headers. */
function answerFaults(server: Http2SecureServer): void {
  const ending = new WeakSet<Socket>()
  server.on("clientError", ({ code = "" }: NodeJS.ErrnoException, socket: Socket) => {
    // Every piece that is read behind the first fault is another one, and a listener of destroySoon.
    if (ending.has(socket)) return
    ending.add(socket)
    const fault = faults[code] ?? "400 Bad Request"
    if (socket.writable) socket.write(`HTTP/1.1 ${fault}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${fault}`)
    socket.destroySoon()
  })
}
