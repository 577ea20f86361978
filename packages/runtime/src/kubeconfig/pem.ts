import { type Clock, type Files, PilothouseError } from "@pilothouse/seams"
import { ReloadedFile } from "./reloaded-file.ts"

/** Milliseconds. Certificates are renewed hours before they expire: a check every ten seconds is enough, and costs one stat. */
const reloadInterval = 10_000

/** Where a certificate or key stands: in the kubeconfig, or in a file that it names. */
export interface PemSource {
  /** Base64, from the kubeconfig. Takes precedence over the file. */
  readonly data?: string
  readonly file?: string
  /** What it is, for messages: 'client-key of user "jane"'. */
  readonly what: string
  /** Where the kubeconfig is, for messages. */
  readonly from: string
}

export interface PemOptions {
  readonly files: Files
  readonly clock: Pick<Clock, "elapsed">
}

/** Returns a reader of a certificate or key, from the kubeconfig itself or from a file that is reloaded; undefined when there is none. */
export function readPem({ data, file, what, from }: PemSource, { files, clock }: PemOptions): (() => string) | undefined {
  if (data) {
    const text = checkedPem(decodeBase64(data, what, from), what, `in ${from}`)
    return () => text
  }
  if (!file) return undefined
  const check = (text: string) => checkedPem(text, what, `in ${file}`)
  const reloaded = new ReloadedFile({ files, clock, path: file, what: `the ${what}`, every: reloadInterval, check })
  return () => reloaded.text
}

function decodeBase64(data: string, what: string, from: string): string {
  const packed = data.replace(/\s+/g, "")
  if (packed.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(packed)) return Buffer.from(packed, "base64").toString()
  throw new PilothouseError(
    "INVALID",
    `expected base64 in the ${what} in ${from}, found other characters or a wrong length; copy it again, whole and on one line`,
  )
}

/** Throws for incomplete PEM: an empty list of authorities would select those of the system. The error does not show it: it may be a private key. */
function checkedPem(text: string, what: string, where: string): string {
  const [begins, ends] = [/-----BEGIN [A-Z0-9 ]+-----/g, /-----END [A-Z0-9 ]+-----/g].map((line) => text.match(line)?.length ?? 0)
  if (begins !== 0 && begins === ends) return text
  throw new PilothouseError(
    "INVALID",
    `expected PEM ("-----BEGIN …") in the ${what} ${where}, found something else; check that it is not DER or empty`,
  )
}
