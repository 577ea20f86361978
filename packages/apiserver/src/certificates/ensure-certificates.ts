import type { CertificateOptions, Certificates, StoredCertificates } from "./certificates.ts"
import { loadCertificates } from "./load-certificates.ts"
import { saveMade, savePublicKey } from "./save-certificates.ts"
import { warnRecreated } from "./warn-recreated.ts"

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
