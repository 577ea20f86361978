import type { Presented } from "../http/connection.ts"
import { isHeaderText } from "./header-value.ts"

export interface PluginCredential {
  readonly presented: Presented
  /** Milliseconds since 1970; Infinity when the plugin does not say. */
  readonly expires: number
}

interface ExecCredential {
  readonly kind?: unknown
  readonly apiVersion?: unknown
  readonly status?: {
    readonly token?: string
    readonly clientCertificateData?: string
    readonly clientKeyData?: string
    readonly expirationTimestamp?: string
  } | null
}

/** Parses the output of a plugin. Errors do not show it: it is a secret. */
export function parseExecCredential(stdout: string, apiVersion: string, wrong: (why: string) => Error): PluginCredential {
  const { kind, apiVersion: found, status } = parse(stdout, wrong)
  if (kind !== "ExecCredential" || found !== apiVersion) {
    throw wrong(`printed ${text(found)} ${text(kind)} where ${apiVersion} ExecCredential is configured`)
  }
  if (!status) throw wrong("printed an ExecCredential without a status")
  const { token, clientCertificateData: certificate, clientKeyData: key, expirationTimestamp } = status
  if (!token && !certificate && !key) throw wrong("printed neither a token nor a certificate")
  if (!certificate !== !key) throw wrong(`printed a client ${certificate ? "certificate without its key" : "key without its certificate"}`)
  if (token && !isHeaderText(token)) throw wrong("printed a token with characters that no header can carry")
  const presented = { ...(token && { authorization: `Bearer ${token}` }), ...(certificate && { certificate, key }) }
  return { presented, expires: expiry(expirationTimestamp, wrong) }
}

function parse(stdout: string, wrong: (why: string) => Error): ExecCredential {
  try {
    const value: unknown = JSON.parse(stdout)
    if (typeof value === "object" && value !== null) return value
  } catch {
    // The parser's message would show the output.
  }
  throw wrong(stdout.trim() === "" ? "printed nothing" : "printed something that is not JSON")
}

function expiry(timestamp: string | undefined, wrong: (why: string) => Error): number {
  if (!timestamp) return Number.POSITIVE_INFINITY
  const time = Date.parse(timestamp)
  if (Number.isNaN(time)) throw wrong(`printed ${text(timestamp)} as expirationTimestamp`)
  return time
}

function text(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : `a ${typeof value}`
}
