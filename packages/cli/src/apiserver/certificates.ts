import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto"
import {
  type CertificateOptions,
  type Certificates,
  ensureCertificates,
  firstServiceAddress,
  type ServingCertificates,
} from "@pilothouse/apiserver"
import { messageOf, PilothouseError } from "@pilothouse/seams"
import { pemOf } from "../certificates/pem-files.ts"
import { isUnspecified } from "./advertised-address.ts"
import type { ApiServerFlags, Seams } from "./start.ts"

/** The certificates that the API server starts with: those that flags name, and its own for the rest. */
export interface ChosenCertificates extends ServingCertificates {
  /** What a client checks this server by. */
  readonly trust: string
  /** The authority of client certificates. */
  readonly clientCa: string
  /** Ours, for who gave no key for service accounts. */
  readonly serviceAccount: { readonly key: string; readonly publicKey: string } | undefined
  /** Where the server's certificate is our own: all that were made with it, and by which options. */
  readonly own?: { readonly certificates: Certificates; readonly options: CertificateOptions }
  /** Where flags name files: what those hold now. Throws where one of them is missing, no PEM or over. */
  readGiven?(): { readonly server?: Pair; readonly clientCa?: string }
}

type Pair = ServingCertificates["server"]

/** Loads the certificates that the flags name; the others are created and kept. */
export async function chooseCertificates(flags: ApiServerFlags, seams: Seams, hasObjects: boolean): Promise<ChosenCertificates> {
  const given = givenPair(flags, seams)
  const readClientCa = () => (flags.clientCaFile === undefined ? undefined : pemOf(seams.files, "--client-ca-file", flags.clientCaFile))
  const clientCa = readClientCa()
  const readGiven = () => ({ server: given && givenPair(flags, seams), clientCa: readClientCa() })
  if (given !== undefined && clientCa !== undefined && flags.serviceAccountSigningKeyFile !== undefined) {
    return { server: given, ca: { certificate: clientCa }, trust: given.certificate, clientCa, serviceAccount: undefined, readGiven }
  }
  const options = {
    ...seams,
    hasObjects,
    directory: given === undefined && flags.certDir !== undefined ? flags.certDir : `${flags.dataDir}/pki`,
    serviceIp: firstServiceAddress(flags.serviceClusterIpRange),
    addresses: addressesOf(flags),
  }
  const own = await ensureCertificates(options)
  const authority = clientCa ?? own.ca.certificate
  return {
    server: given ?? own.server,
    ca: { certificate: authority },
    trust: given?.certificate ?? own.ca.certificate,
    clientCa: authority,
    serviceAccount: own.serviceAccount,
    ...(given === undefined && { own: { certificates: own, options } }),
    ...((given !== undefined || clientCa !== undefined) && { readGiven }),
  }
}

function addressesOf({ bindAddress, advertiseAddress }: ApiServerFlags): readonly string[] {
  return [bindAddress, advertiseAddress ?? bindAddress].filter((address) => !isUnspecified(address))
}

/** By --tls-*, or those that a user has put into --cert-dir; one that this program made has its authority beside it, and is renewed. */
function givenPair(flags: ApiServerFlags, seams: Seams): Pair | undefined {
  const { files } = seams
  const { tlsCertFile, tlsPrivateKeyFile, certDir } = flags
  if (tlsCertFile !== undefined && tlsPrivateKeyFile !== undefined) return readPair(seams, tlsCertFile, tlsPrivateKeyFile)
  if (tlsCertFile !== undefined || tlsPrivateKeyFile !== undefined) {
    throw new PilothouseError("USAGE", "expected both of --tls-cert-file and --tls-private-key-file, found one")
  }
  const [certificate, key] = [`${certDir}/apiserver.crt`, `${certDir}/apiserver.key`]
  const isGiven = certDir !== undefined && [certificate, key].every((path) => files.facts(path)) && !files.facts(`${certDir}/ca.key`)
  return isGiven ? readPair(seams, certificate, key) : undefined
}

/** Reads --tls-cert-file and --tls-private-key-file. Refuses what does not belong together, and what is over. */
export function readPair({ files, clock }: Pick<Seams, "files" | "clock">, certificatePath: string, keyPath: string): Pair {
  const pair = { certificate: pemOf(files, "--tls-cert-file", certificatePath), key: pemOf(files, "--tls-private-key-file", keyPath) }
  const [certificate, key] = parsed(pair, certificatePath, keyPath)
  if (!certificate.checkPrivateKey(key)) {
    throw new PilothouseError(
      "USAGE",
      `expected the key of ${certificatePath} in ${keyPath}, found another one; give the two that belong together`,
    )
  }
  if (Date.parse(certificate.validTo) > clock.now()) return pair
  throw new PilothouseError(
    "USAGE",
    `expected a certificate whose time is not over in ${certificatePath}, found one that ended on ${certificate.validTo}; give another`,
  )
}

function parsed(pair: Pair, certificatePath: string, keyPath: string): readonly [X509Certificate, KeyObject] {
  try {
    return [new X509Certificate(pair.certificate), createPrivateKey(pair.key)]
  } catch (error) {
    throw new PilothouseError("USAGE", `expected a certificate in ${certificatePath} and its key in ${keyPath}, found: ${messageOf(error)}`)
  }
}
