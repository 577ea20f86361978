import { createPublicKey } from "node:crypto"
import type { CertificateOptions, Certificates } from "./ensure.ts"
import { fileNames } from "./names.ts"
import { readPrivateKey, readPublicKey } from "./read-pem.ts"
import { refused } from "./refused.ts"

const { serviceAccountKey, serviceAccountPublicKey } = fileNames

/** Undefined where there is none. With another key than before no token that was given out would be known any more: that is refused. */
export function readServiceAccountKey(options: CertificateOptions): Certificates["serviceAccount"] | undefined {
  const [key, known] = [readPrivateKey(options, serviceAccountKey), readPublicKey(options, serviceAccountPublicKey)]
  if (key === undefined) {
    if (known === undefined) return undefined
    throw refused(options, serviceAccountKey, `the key of ${serviceAccountPublicKey}`, "none")
  }
  const own = createPublicKey(key.parsed)
  if (known !== undefined && !known.parsed.equals(own)) {
    throw refused(options, serviceAccountKey, `the key of ${serviceAccountPublicKey}`, "another key")
  }
  return { key: key.text, publicKey: own.export({ type: "spki", format: "pem" }).toString() }
}
