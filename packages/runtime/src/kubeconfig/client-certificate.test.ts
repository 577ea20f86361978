import { X509Certificate } from "node:crypto"
import { describe, expect, test } from "vitest"
import { clientCertificate, clientKey } from "../http/testing/certificates.ts"
import { checkClientCertificate } from "./credentials.ts"

const whose = 'user "jane" in /k'
const { validFrom, validTo } = new X509Certificate(clientCertificate)
const [begins, ends] = [Date.parse(validFrom), Date.parse(validTo)]
const check = (now: number) => checkClientCertificate({ certificate: clientCertificate, key: clientKey, whose, now })

describe("a client certificate", () => {
  test.each([
    ["at its first moment", begins],
    ["at its last", ends],
  ])("is good %s", (_, now) => expect(() => check(now)).not.toThrow())

  test.each([
    ["too early", begins - 1, "found one that begins at", "check the clock of this machine"],
    ["too late", ends + 1, "found one that ended at", "get a new one from the administrator of the cluster"],
  ])("is refused %s, and what to do is said", (_, now, found, todo) => {
    expect(() => check(now)).toThrow(`expected a client certificate of ${whose} that is valid now, ${found}`)
    expect(() => check(now)).toThrow(todo)
  })

  test.each([
    ["certificate", { certificate: "-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----", key: clientKey }],
    ["key", { certificate: clientCertificate, key: "-----BEGIN PRIVATE KEY-----\nnone\n-----END PRIVATE KEY-----" }],
  ])("whose %s OpenSSL cannot read is said to be so, without showing it", (what, pair) => {
    expect(() => checkClientCertificate({ ...pair, whose, now: begins })).toThrow(
      `expected a readable client ${what} of ${whose}, found one`,
    )
  })
})
