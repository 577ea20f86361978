import type { CertificateOptions, Certificates, KeyAndCertificate, Loaded } from "./ensure.ts"
import { fileNames } from "./names.ts"

const privateMode = 0o600

/** Writes the parts that were made, each key before its certificate: a crash between them leaves a pair that does not fit, which is made anew. */
export function saveMade(made: Certificates, loaded: Loaded, options: CertificateOptions): void {
  options.files.makeDirectory(options.directory, 0o700)
  if (made.ca !== loaded.ca) savePair(options, made.ca, fileNames.caCertificate, fileNames.caKey)
  if (made.server !== loaded.server) savePair(options, made.server, fileNames.serverCertificate, fileNames.serverKey)
  if (made.admin !== loaded.admin) savePair(options, made.admin, fileNames.adminCertificate, fileNames.adminKey)
  if (made.serviceAccount !== loaded.serviceAccount) {
    save(options, fileNames.serviceAccountKey, made.serviceAccount.key, privateMode)
    save(options, fileNames.serviceAccountPublicKey, made.serviceAccount.publicKey)
  }
}

function savePair(options: CertificateOptions, pair: KeyAndCertificate, certificateName: string, keyName: string): void {
  save(options, keyName, pair.key, privateMode)
  save(options, certificateName, pair.certificate)
}

function save({ files, directory }: CertificateOptions, name: string, text: string, mode?: number): void {
  const path = `${directory}/${name}`
  // A file that exists keeps its mode when written; a key must not inherit one that others may read.
  files.remove(path)
  files.write(path, text, { mode })
}
