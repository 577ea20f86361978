import { createPrivateKey, createPublicKey } from "node:crypto"
import type { ServiceAccountOptions } from "@pilothouse/apiserver"
import { messageOf, PilothouseError } from "@pilothouse/seams"
import type { ChosenCertificates } from "./certificates.ts"
import { pemOf } from "./pem-files.ts"
import type { ApiServerFlags, Seams } from "./start.ts"

const defaultIssuer = "https://kubernetes.default.svc.cluster.local"

/** How tokens of service accounts are made and known. */
export function serviceAccountsOf(
  flags: ApiServerFlags,
  own: ChosenCertificates["serviceAccount"],
  { files }: Seams,
): ServiceAccountOptions {
  const { serviceAccountIssuer = [], serviceAccountKeyFile = [], serviceAccountSigningKeyFile, apiAudiences } = flags
  const [issuer = defaultIssuer, ...issuers] = serviceAccountIssuer
  const publicKeys = serviceAccountKeyFile.map((path) => pemOf(files, "--service-account-key-file", path))
  const keys = serviceAccountSigningKeyFile === undefined ? own : signingKeys(files, serviceAccountSigningKeyFile)
  if (keys === undefined) throw new PilothouseError("USAGE", "expected a key for --service-account-signing-key-file, found none")
  return { ...keys, publicKeys, issuer, issuers, ...(apiAudiences !== undefined && { audiences: apiAudiences }) }
}

function signingKeys(files: Seams["files"], path: string): Pick<ServiceAccountOptions, "key" | "publicKey"> {
  const key = pemOf(files, "--service-account-signing-key-file", path)
  try {
    return { key, publicKey: createPublicKey(createPrivateKey(key)).export({ type: "spki", format: "pem" }).toString() }
  } catch (error) {
    throw new PilothouseError(
      "USAGE",
      `expected a PEM private key in ${path}, found something else (${messageOf(error)}); give the right file`,
    )
  }
}
