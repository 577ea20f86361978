import { createPublicKey } from "node:crypto"
import { fileNames } from "./certificate-names.ts"
import type { CertificateOptions, Certificates } from "./certificates.ts"
import { invalidFile } from "./invalid-file.ts"
import { readPrivateKey, readPublicKey } from "./read-pem.ts"

const { serviceAccountKey, serviceAccountPublicKey } = fileNames

/** Undefined where there is none. With another key than before no token that was given out would be known any more: that is refused. */
export function readServiceAccountKey(options: CertificateOptions): Certificates["serviceAccount"] | undefined {
  const [key, known] = [readPrivateKey(options, serviceAccountKey), readPublicKey(options, serviceAccountPublicKey)]
  if (key === undefined) {
    if (known === undefined) return undefined
    throw invalidFile(options, serviceAccountKey, `the key of ${serviceAccountPublicKey}`, "none")
  }
  const own = createPublicKey(key.parsed)
  if (known !== undefined && !known.parsed.equals(own)) {
    throw invalidFile(options, serviceAccountKey, `the key of ${serviceAccountPublicKey}`, "another key")
  }
  return { key: key.text, publicKey: own.export({ type: "spki", format: "pem" }).toString() }
}
