import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto"
import { messageOf, readText } from "@pilothouse/seams"
import type { CertificateOptions } from "./certificates.ts"
import { unreadableFile } from "./invalid-file.ts"

type Where = Pick<CertificateOptions, "files" | "directory">

/** A file as it is, and what it says. */
export interface Parsed<T> {
  readonly text: string
  readonly parsed: T
}

/** Reads the certificate of a PEM file; undefined where there is none. Throws for one that is something else. */
export function readCertificate(options: Where, name: string): Parsed<X509Certificate> | undefined {
  return readAs(options, name, "a PEM certificate", (text) => new X509Certificate(text))
}

export function readPrivateKey(options: Where, name: string): Parsed<KeyObject> | undefined {
  return readAs(options, name, "a PEM private key", createPrivateKey)
}

export function readPublicKey(options: Where, name: string): Parsed<KeyObject> | undefined {
  return readAs(options, name, "a PEM public key", createPublicKey)
}

function readAs<T>(options: Where, name: string, expected: string, parse: (text: string) => T): Parsed<T> | undefined {
  const text = readText(options.files, `${options.directory}/${name}`)
  if (text === undefined) return undefined
  try {
    return { text, parsed: parse(text) }
  } catch (error) {
    throw unreadableFile(options, name, { expected, why: messageOf(error), cause: error })
  }
}
