import { PilothouseError } from "@pilothouse/seams"
import { commaList } from "../flags/flag-values.ts"

/** Go's names, which kube-apiserver's flags have, to node's. */
const versions = { VersionTLS10: "TLSv1", VersionTLS11: "TLSv1.1", VersionTLS12: "TLSv1.2", VersionTLS13: "TLSv1.3" } as const

type Version = (typeof versions)[keyof typeof versions]

/** Nothing, which templates write, is upstream's default; so it is below. */
export function tlsVersion(text: string): Version | undefined {
  if (text === "") return undefined
  if (Object.hasOwn(versions, text)) return versions[text as keyof typeof versions]
  const known = Object.keys(versions).join(", ")
  throw new PilothouseError("USAGE", `expected one of ${known} for --tls-min-version, found "${text}"`)
}

/** Those of TLS 1.3: always on, as in Go, whatever the flag says. */
const always = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"]

/** Those of TLS 1.2 and older that Go knows, in OpenSSL's names. */
const suites: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: "ECDHE-ECDSA-AES128-SHA",
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: "ECDHE-ECDSA-AES128-SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: "ECDHE-ECDSA-AES128-GCM-SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: "ECDHE-ECDSA-AES256-SHA",
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: "ECDHE-ECDSA-AES256-GCM-SHA384",
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: "ECDHE-ECDSA-CHACHA20-POLY1305",
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-ECDSA-CHACHA20-POLY1305",
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: "ECDHE-RSA-AES128-SHA",
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: "ECDHE-RSA-AES128-SHA256",
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: "ECDHE-RSA-AES128-GCM-SHA256",
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: "ECDHE-RSA-AES256-SHA",
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: "ECDHE-RSA-AES256-GCM-SHA384",
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: "ECDHE-RSA-CHACHA20-POLY1305",
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-RSA-CHACHA20-POLY1305",
  TLS_RSA_WITH_AES_128_CBC_SHA: "AES128-SHA",
  TLS_RSA_WITH_AES_128_CBC_SHA256: "AES128-SHA256",
  TLS_RSA_WITH_AES_128_GCM_SHA256: "AES128-GCM-SHA256",
  TLS_RSA_WITH_AES_256_CBC_SHA: "AES256-SHA",
  TLS_RSA_WITH_AES_256_GCM_SHA384: "AES256-GCM-SHA384",
}

/** Go has them still; OpenSSL is built without them. */
const broken = /_(RC4_128|3DES_EDE_CBC)_SHA$/

/** The value of --tls-cipher-suites in OpenSSL's words. */
export function cipherSuites(text: string): string | undefined {
  const all = commaList(text)
  if (all.length === 0) return undefined
  const named = all.filter((name) => !always.includes(name))
  const unknown = named.find((name) => !Object.hasOwn(suites, name))
  if (unknown !== undefined) {
    const why = broken.test(unknown) ? "one that is broken and not built in here" : "one that is not supported or doesn't exist"
    throw new PilothouseError(
      "USAGE",
      `expected cipher suites such as TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 for --tls-cipher-suites, found ${why}: "${unknown}"`,
    )
  }
  return [...always, ...new Set(named.map((name) => suites[name]!))].join(":")
}
