import { silentLog } from "@pilothouse/seams"
import { fileNames } from "./certificate-names.ts"
import type { CertificateOptions, Certificates, StoredCertificates } from "./certificates.ts"
import { loadCertificates } from "./load-certificates.ts"
import { saveMade, savePublicKey } from "./save-certificates.ts"

/**
 * The certificates of a server: made at its first start, kept in the directory with private modes, and used again.
 * The server's and the administrator's are issued again after two thirds of their life, or when an address is missing. Rejects with code FILE when a file is
 * unreadable, foreign, or does not belong to the one beside it: nothing is written over. What was lost and is created again is logged.
 */
export async function ensureCertificates(options: CertificateOptions): Promise<Certificates> {
  const loaded = loadCertificates(options)
  if (isComplete(loaded)) {
    savePublicKey(options, loaded)
    const { keys: _keys, ...certificates } = loaded
    return certificates
  }
  // The library costs more to load than everything else here: a warm start does without it.
  const { issueMissing: makeMissing } = await options.clock.external(import("./issue-certificates.ts"), "loading the certificate library")
  const certificates = await options.clock.external(makeMissing(loaded, options), "making certificates")
  saveMade(certificates, loaded, options)
  warnRecreated(certificates, loaded, options)
  return certificates
}

function isComplete(loaded: StoredCertificates): loaded is Certificates & StoredCertificates {
  return loaded.ca !== undefined && loaded.server !== undefined && loaded.admin !== undefined && loaded.serviceAccount !== undefined
}

const { caCertificate, caKey, serviceAccountKey, serviceAccountPublicKey } = fileNames

/**
 * Warns of what was recreated after the first start: clients may hold credentials of the old authority or key, which are refused now.
 * The certificates of the server and of the administrator are not named: clients trust their authority, and they are renewed by age.
 */
function warnRecreated(made: Certificates, loaded: StoredCertificates, options: CertificateOptions): void {
  const { log = silentLog, directory, hasObjects = false } = options
  if (isEmpty(loaded) && !hasObjects) return
  if (loaded.ca === undefined) log.warn(made.ca.key === loaded.keys.ca ? authorityOfOldKey : newAuthority, { directory })
  if (loaded.serviceAccount === undefined) log.warn(newServiceAccountKey, { directory })
}

/** A key alone may be what a crash has left of the first one. */
function isEmpty({ ca, server, admin, serviceAccount }: StoredCertificates): boolean {
  return [ca, server, admin, serviceAccount].every((part) => part === undefined)
}

const authorityOfOldKey =
  `${caCertificate} was missing and was recreated, for the ${caKey} that is there: ` +
  "clients that have the old one still trust this server, and their certificates are still known"

const newAuthority =
  `${caCertificate} and ${caKey} were missing and were recreated: ` +
  "clients that have the old ones do not trust this server, and their certificates are refused; give them the new kubeconfig"

const newServiceAccountKey =
  `${serviceAccountKey} and ${serviceAccountPublicKey} were missing and were recreated: ` +
  "tokens of service accounts that were given out are refused; pods have new ones once they are started again"
