import type { Clock, Files, Log, Random } from "@pilothouse/seams"

/** PEM texts. */
export interface KeyAndCertificate {
  readonly certificate: string
  readonly key: string
}

/** The certificates and keys of a server, and those of its administrator. */
export interface Certificates {
  readonly ca: KeyAndCertificate
  readonly server: KeyAndCertificate
  /** CN=kubernetes-admin, O=system:masters. */
  readonly admin: KeyAndCertificate
  /** Signs the tokens of service accounts (ES256). */
  readonly serviceAccount: { readonly key: string; readonly publicKey: string }
}

/** Options of the certificates of a server. */
export interface CertificateOptions {
  readonly files: Files
  readonly directory: string
  readonly clock: Clock
  readonly random: Random
  /** The first address of the service range: what pods call the server by. */
  readonly serviceIp: string
  /** Other addresses that the server is reached by. */
  readonly addresses?: readonly string[]
  /** That an earlier start has left objects: then this is no first one, though nothing is in the directory. */
  readonly hasObjects?: boolean
  /** Receives a warning for each file that was lost and is created again. */
  readonly log?: Log
}

/** What is there and usable; undefined parts must be made. */
export type StoredCertificates = { readonly [Part in keyof Certificates]: Certificates[Part] | undefined } & {
  /** Keys that are there, for certificates that must be made: a key is never written over. */
  readonly keys: { readonly [Part in "ca" | "server" | "admin"]: string | undefined }
}
