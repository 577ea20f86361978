import { X509Certificate } from "node:crypto"
import { readText } from "@pilothouse/seams"
import { fileNames, pairNames } from "./certificate-names.ts"
import type { CertificateOptions, Certificates } from "./certificates.ts"
import { invalidFile } from "./invalid-file.ts"
import { isCurrent } from "./renewal-time.ts"
import { privateMode, save, savePublicKey } from "./save-certificates.ts"

type Part = "server" | "admin"

/**
 * New certificates for those of the server and of the administrator that are due, of the same keys and the same authority; all else is as it was.
 * Reads and writes no file: what runs is renewed whatever became of its directory.
 */
export async function renewCertificates(current: Certificates, options: CertificateOptions): Promise<Certificates> {
  const kept = (part: Part) => (isCurrent(new X509Certificate(current[part].certificate), options.clock) ? current[part] : undefined)
  const loaded = {
    ...current,
    server: kept("server"),
    admin: kept("admin"),
    keys: { ca: current.ca.key, server: current.server.key, admin: current.admin.key },
  }
  const { issueMissing: makeMissing } = await options.clock.external(import("./issue-certificates.ts"), "loading the certificate library")
  return options.clock.external(makeMissing(loaded, options), "renewing certificates")
}

const parts = ["ca", "server", "admin"] as const

/**
 * Writes what the next start needs: the renewed certificates, and keys that are missing by now. Throws (code FILE), and writes nothing, where the
 * directory has another authority or other keys: they were put there for the next start.
 */
export function saveRenewed(renewed: Certificates, options: CertificateOptions): void {
  const kept = (name: string) => readText(options.files, `${options.directory}/${name}`)
  const refuseOther = (name: string, what: string, used: string) => {
    if ((kept(name) ?? used) !== used) throw invalidFile(options, name, `${what} that is in use`, "another one")
  }
  refuseOther(pairNames.ca.certificate, "the authority", renewed.ca.certificate)
  for (const part of parts) refuseOther(pairNames[part].key, "the key", renewed[part].key)
  options.files.makeDirectory(options.directory, 0o700)
  const update = (name: string, text: string, mode?: number) => {
    if (kept(name) !== text) save(options, name, text, mode)
  }
  for (const part of parts) {
    update(pairNames[part].key, renewed[part].key, privateMode)
    update(pairNames[part].certificate, renewed[part].certificate)
  }
  if (kept(fileNames.serviceAccountKey) === undefined) save(options, fileNames.serviceAccountKey, renewed.serviceAccount.key, privateMode)
  savePublicKey(options, renewed)
}
