import type { Clock, Files, Log, Random } from "@pilothouse/seams"
import { loadCertificates } from "./load.ts"
import { tellMadeAnew } from "./made-anew.ts"
import { saveMade, savePublicKey } from "./save.ts"

/** PEM texts. */
export interface KeyAndCertificate {
  readonly certificate: string
  readonly key: string
}

export interface Certificates {
  readonly ca: KeyAndCertificate
  readonly server: KeyAndCertificate
  /** CN=kubernetes-admin, O=system:masters. */
  readonly admin: KeyAndCertificate
  /** Signs the tokens of service accounts (ES256). */
  readonly serviceAccount: { readonly key: string; readonly publicKey: string }
}

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
  /** Hears what was lost and made anew. */
  readonly log?: Log
}

/** What is there and usable; undefined parts must be made. */
export type Loaded = { readonly [Part in keyof Certificates]: Certificates[Part] | undefined } & {
  /** Keys that are there, for certificates that must be made: a key is never written over. */
  readonly keys: { readonly [Part in "ca" | "server" | "admin"]: string | undefined }
}

/**
 * The certificates of a server: made at its first start, kept in the directory with private modes, and used again.
 * The server's and the administrator's are made anew after two thirds of their life, or when an address is missing. Rejects with code FILE when a file is
 * unreadable, foreign, or does not belong to the one beside it: nothing is written over. What was lost and made anew is told to the log.
 */
export async function ensureCertificates(options: CertificateOptions): Promise<Certificates> {
  const loaded = loadCertificates(options)
  if (isComplete(loaded)) {
    savePublicKey(options, loaded)
    const { keys: _keys, ...certificates } = loaded
    return certificates
  }
  // The library costs more to load than everything else here: a warm start does without it.
  const { makeMissing } = await options.clock.external(import("./make.ts"), "loading the certificate library")
  const certificates = await options.clock.external(makeMissing(loaded, options), "making certificates")
  saveMade(certificates, loaded, options)
  tellMadeAnew(certificates, loaded, options)
  return certificates
}

function isComplete(loaded: Loaded): loaded is Certificates & Loaded {
  return loaded.ca !== undefined && loaded.server !== undefined && loaded.admin !== undefined && loaded.serviceAccount !== undefined
}
