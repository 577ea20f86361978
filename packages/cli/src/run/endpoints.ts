import { ensureCertificates, type ServingCertificates, serveHttps } from "@pilothouse/apiserver"
import type { Clock, Files, Log, Random, Transport } from "@pilothouse/seams"
import { pemOf } from "../apiserver/pem-files.ts"
import type { OwnSettings } from "./flags.ts"

export interface EndpointSeams {
  readonly clock: Clock
  readonly random: Random
  readonly files: Files
  readonly log: Log
}

export interface ServedPort extends AsyncDisposable {
  readonly address: string
}

/** Health, metrics and trace over TLS. Undefined where no port was asked for. */
export async function serveRunEndpoints(
  settings: OwnSettings,
  endpoints: Transport,
  seams: EndpointSeams,
): Promise<ServedPort | undefined> {
  const port = settings["secure-port"]
  if (port === 0) return undefined
  const host = settings["bind-address"]
  const https = await serveHttps({
    ...seams,
    transportFor: () => endpoints,
    host,
    port,
    certificates: await certificatesOf(settings, seams),
  })
  return { address: `https://${host}:${https.port}`, [Symbol.asyncDispose]: () => https.close() }
}

async function certificatesOf(settings: OwnSettings, seams: EndpointSeams): Promise<ServingCertificates> {
  const [certificateFile, keyFile] = [settings["tls-cert-file"], settings["tls-private-key-file"]]
  if (certificateFile === "") {
    const directory = settings["cert-dir"] || ".pilothouse/run"
    return ensureCertificates({ ...seams, directory, serviceIp: "10.96.0.1" })
  }
  const certificate = pemOf(seams.files, "--tls-cert-file", certificateFile)
  return { server: { certificate, key: pemOf(seams.files, "--tls-private-key-file", keyFile) }, ca: { certificate } }
}
