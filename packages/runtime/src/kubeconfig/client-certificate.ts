import { createPrivateKey, X509Certificate } from "node:crypto"
import { formatTime } from "@pilothouse/api"
import { messageOf, PilothouseError } from "@pilothouse/seams"

export interface CheckedCertificate {
  readonly certificate: string
  readonly key: string
  /** Whose it is, for messages: 'user "jane" in /home/jane/.kube/config'. */
  readonly whose: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Throws for a certificate that the server would refuse without a reason. */
export function checkClientCertificate({ certificate, key, whose, now }: CheckedCertificate): void {
  const x509 = readable("client certificate", whose, () => new X509Certificate(certificate))
  const privateKey = readable("client key", whose, () => createPrivateKey(key))
  if (!x509.checkPrivateKey(privateKey)) {
    throw new PilothouseError(
      "CREDENTIALS",
      `expected the client key of ${whose} to belong to its certificate, found another key; use the two that were made together`,
    )
  }
  const [begins, ends] = [Date.parse(x509.validFrom), Date.parse(x509.validTo)]
  if (now > ends) throw notNow(whose, `one that ended at ${formatTime(ends)}`, "get a new one from the administrator of the cluster")
  if (now < begins) throw notNow(whose, `one that begins at ${formatTime(begins)}`, "check the clock of this machine")
}

function notNow(whose: string, found: string, todo: string): PilothouseError {
  return new PilothouseError("CREDENTIALS", `expected a client certificate of ${whose} that is valid now, found ${found}; ${todo}`)
}

function readable<T>(what: string, whose: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new PilothouseError(
      "CREDENTIALS",
      `expected a readable ${what} of ${whose}, found one that OpenSSL refuses (${messageOf(cause)}); copy it again`,
    )
  }
}
