import { X509Certificate } from "node:crypto"
import {
  ensureServingCertificate,
  hostAndPort,
  isIp,
  type ServeOptions,
  type ServingCertificates,
  serveHttps,
  type TlsLimits,
} from "@pilothouse/apiserver"
import type { TlsPair } from "@pilothouse/discovery"
import { type Clock, type Files, type Log, PilothouseError, type Random, virtualFiles } from "@pilothouse/seams"
import { isUnspecified } from "../../apiserver/advertised-address.ts"
import { readPair } from "../../apiserver/certificates.ts"
import { cipherSuites, tlsVersion } from "../../apiserver/tls-flags.ts"
import { CertificateRotation, type CertificateRotationOptions } from "../../certificates/certificate-rotation.ts"
import { certificateOf } from "../../certificates/pem-files.ts"
import { renewWhileRunning } from "../../certificates/renewal.ts"
import { onHangUp } from "../../process/process.ts"
import type { OwnSettings } from "../flags/flags.ts"
import type { Access } from "./delegated-access.ts"

/** As kube-controller-manager names the two files. */
const ownName = "kube-controller-manager"

export interface EndpointSeams {
  readonly clock: Clock
  readonly random: Random
  readonly files: Files
  readonly log: Log
}

export interface ServedPort extends AsyncDisposable {
  readonly address: string
  /** SHA-256 of the certificate that new connections meet, in lower-case hexadecimal. */
  fingerprint(): string
}

/** Health, metrics and trace over TLS. Undefined where no port was asked for. */
export async function serveRunEndpoints(settings: OwnSettings, access: Access, seams: EndpointSeams): Promise<ServedPort | undefined> {
  const { "secure-port": port, "bind-address": host, "client-ca-file": clientCa } = settings
  if (port === 0) return undefined
  const ownCertificate = settings["tls-cert-file"] === "" ? await keptCertificate(settings, seams) : undefined
  let own = await ownCertificate?.()
  const read = () => pairOf(settings, own, seams.files, seams.clock)
  const started = read()
  const certificates = servingOf(started)
  let shown = started.certificate
  let fingerprint = fingerprintOf(shown)
  // Without that flag no client is known by a certificate, whichever authority signed it.
  const transportFor: ServeOptions["transportFor"] = ({ certificate }) => access(clientCa === "" ? undefined : certificate)
  await using opening = new AsyncDisposableStack()
  // The user of a token is known when the API server has said so; until then no body is requested, and nothing here reads one.
  const https = await serveHttps({ ...seams, transportFor, host, port, certificates, tls: tlsLimits(settings), readsBodies: false })
  opening.defer(() => https.close())
  const use = (pair: TlsPair) => {
    https.renew(servingOf(pair))
    shown = pair.certificate
    fingerprint = fingerprintOf(shown)
  }
  if (ownCertificate === undefined || clientCa !== "") opening.use(followCertificate({ read, started, renew: use }, seams))
  if (ownCertificate !== undefined) {
    const renew = async () => {
      own = await ownCertificate()
      use(read())
    }
    opening.use(renewWhileRunning({ ...seams, of: "health and metrics", certificates: () => [shown], renew }))
  }
  const opened = opening.move()
  return {
    address: `https://${hostAndPort(host, https.port)}`,
    fingerprint: () => fingerprint,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

function fingerprintOf(certificate: string): string {
  return new X509Certificate(certificate).fingerprint256.replaceAll(":", "").toLowerCase()
}

/** What the flags name; what they leave out is our own. */
function pairOf(settings: OwnSettings, own: ServingCertificates["server"] | undefined, files: Files, clock: Clock): TlsPair {
  const server = own ?? readPair({ files, clock }, settings["tls-cert-file"], settings["tls-private-key-file"])
  const clientCa = settings["client-ca-file"]
  return { ...server, ...(clientCa !== "" && { clientAuthority: certificateOf(files, "--client-ca-file", clientCa) }) }
}

function servingOf({ clientAuthority, ...server }: TlsPair): ServingCertificates {
  return { server, ca: { certificate: clientAuthority ?? server.certificate } }
}

/**
 * Our own certificate, made where it is missing and again where it is due, each time the result is called. A service starts in a directory that it may
 * not write to, as often as not: where no directory was asked for, it is kept in memory then.
 */
async function keptCertificate(
  { "cert-dir": asked, "bind-address": host }: OwnSettings,
  seams: EndpointSeams,
): Promise<() => Promise<ServingCertificates["server"]>> {
  const addresses = isIp(host) && !isUnspecified(host) ? [host] : []
  const keptIn = (files: Files, directory: string) => () =>
    ensureServingCertificate({ ...seams, files, directory, name: ownName, addresses })
  if (asked !== "") return keptIn(seams.files, asked)
  const kept = keptIn(seams.files, ".pilothouse/run")
  try {
    await kept()
    return kept
  } catch (error) {
    if (!(error instanceof PilothouseError) || error.code !== "FILE") throw error
    seams.log.info("the certificate of health and metrics is kept in memory: --cert-dir says where it may be kept", {
      error: error.message,
    })
    return keptIn(virtualFiles(seams.clock), "/")
  }
}

/** Returns the TLS versions and ciphers of the flags as Node names them. */
export function tlsLimits(settings: OwnSettings): TlsLimits {
  const minVersion = tlsVersion(settings["tls-min-version"])
  const ciphers = cipherSuites(settings["tls-cipher-suites"].join(","))
  return { ...(minVersion !== undefined && { minVersion }), ...(ciphers !== undefined && { ciphers }) }
}

interface Followed extends Pick<CertificateRotationOptions, "read" | "renew"> {
  readonly started: TlsPair
}

/** Takes over certificates that were renewed on disk, until disposed: their renewal sends no notification. SIGHUP checks at once. */
function followCertificate(followed: Followed, seams: EndpointSeams): AsyncDisposable {
  const rotation = new CertificateRotation({ ...seams, ...followed, of: "health and metrics" })
  const hangUps = onHangUp(() => rotation.check())
  const running = rotation.start()
  return {
    async [Symbol.asyncDispose]() {
      hangUps[Symbol.dispose]()
      await running[Symbol.asyncDispose]()
    },
  }
}
