import { fileNames, pairNames } from "./certificate-names.ts"
import type { CertificateOptions, Certificates, KeyAndCertificate, StoredCertificates } from "./certificates.ts"

/** Of keys. */
export const privateMode = 0o600

/** Writes the parts that were made, each key before its certificate: after a crash between them a certificate is made for the key that is there. */
export function saveMade(made: Certificates, loaded: StoredCertificates, options: CertificateOptions): void {
  options.files.makeDirectory(options.directory, 0o700)
  for (const part of ["ca", "server", "admin"] as const) {
    if (made[part] !== loaded[part]) savePair(options, made[part], part, loaded.keys[part])
  }
  if (made.serviceAccount !== loaded.serviceAccount) save(options, fileNames.serviceAccountKey, made.serviceAccount.key, privateMode)
  savePublicKey(options, made)
}

/** Writes the public key, by which a foreign key is recognized. A crash may have come before it was written. */
export function savePublicKey(options: CertificateOptions, { serviceAccount }: Certificates): void {
  const name = fileNames.serviceAccountPublicKey
  if (options.files.facts(`${options.directory}/${name}`) === undefined) save(options, name, serviceAccount.publicKey)
}

function savePair(options: CertificateOptions, pair: KeyAndCertificate, part: keyof typeof pairNames, kept: string | undefined): void {
  if (pair.key !== kept) save(options, pairNames[part].key, pair.key, privateMode)
  save(options, pairNames[part].certificate, pair.certificate)
}

export function save(
  { files, directory }: Pick<CertificateOptions, "files" | "directory">,
  name: string,
  text: string,
  mode?: number,
): void {
  files.write(`${directory}/${name}`, text, { mode })
}
