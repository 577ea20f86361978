import { type HttpsServer, renewCertificates, type ServingCertificates, saveRenewed } from "@pilothouse/apiserver"
import type { TlsPair } from "@pilothouse/discovery"
import { messageOf } from "@pilothouse/seams"
import { CertificateRotation } from "../certificates/certificate-rotation.ts"
import { renewWhileRunning } from "../certificates/renewal.ts"
import type { ChosenCertificates } from "./certificates.ts"
import type { Seams } from "./start.ts"

const of = "the API server"

interface Renewing extends Pick<Seams, "clock" | "log"> {
  readonly https: Pick<HttpsServer, "renew">
  /** Called with what clients check the server by, when that has changed. */
  readonly trustChanged: (certificate: string) => Promise<void>
}

/** What the server shows. Invariant: `certificates` is what new connections meet. */
class Serving {
  readonly #https: Pick<HttpsServer, "renew">
  certificates: ServingCertificates

  constructor(certificates: ServingCertificates, https: Pick<HttpsServer, "renew">) {
    this.certificates = certificates
    this.#https = https
  }

  /** Throws where TLS refuses them, and then nothing has changed. */
  use(change: Partial<ServingCertificates>): void {
    const next = { ...this.certificates, ...change }
    this.#https.renew(next)
    this.certificates = next
  }
}

/**
 * Keeps the certificates of a running server valid, until disposed: its own are renewed at two thirds of their life; files that flags name are read
 * again when they change, as kube-apiserver does.
 */
export function keepCertificatesValid(chosen: ChosenCertificates, renewing: Renewing): AsyncDisposable {
  const serving = new Serving({ server: chosen.server, ca: chosen.ca }, renewing.https)
  const kept = new AsyncDisposableStack()
  if (chosen.own !== undefined) kept.use(renewOwn(serving, chosen.own, renewing))
  if (chosen.readGiven !== undefined) kept.use(followGiven(serving, chosen.readGiven, renewing))
  return kept
}

function renewOwn(serving: Serving, own: NonNullable<ChosenCertificates["own"]>, { clock, log }: Renewing): AsyncDisposable {
  let current = own.certificates
  return renewWhileRunning({
    of,
    clock,
    log,
    certificates: () => [current.server.certificate, current.admin.certificate],
    authority: { certificate: current.ca.certificate, file: `${own.options.directory}/ca.crt` },
    async renew() {
      current = await renewCertificates(current, own.options)
      serving.use({ server: current.server })
      saveRenewed(current, own.options)
    },
  })
}

function followGiven(
  serving: Serving,
  readGiven: NonNullable<ChosenCertificates["readGiven"]>,
  { clock, log, trustChanged }: Renewing,
): AsyncDisposable {
  const read = (): TlsPair => {
    const { server = serving.certificates.server, clientCa = serving.certificates.ca.certificate } = readGiven()
    return { ...server, clientAuthority: clientCa }
  }
  const renew = ({ clientAuthority = "", ...server }: TlsPair) => {
    const before = serving.certificates.server.certificate
    serving.use({ server, ca: { certificate: clientAuthority } })
    if (server.certificate === before) return
    trustChanged(server.certificate).catch((error: unknown) =>
      log.error(`the kubeconfig does not have the new certificate of ${of}`, { error: messageOf(error) }),
    )
  }
  return new CertificateRotation({ of, clock, log, read, renew, started: read() }).start()
}
