import { createPrivateKey, X509Certificate } from "node:crypto"
import { type Files, messageOf, PilothouseError, readText } from "@pilothouse/seams"

/** The text of a file that a flag names. */
export function fileOf(files: Files, flag: string, path: string): string {
  const text = readText(files, path)
  if (text !== undefined) return text
  throw new PilothouseError("USAGE", `expected a file at ${path} for ${flag}, found none; mend the path`)
}

/** The same for a file that must hold PEM: a wrong one is named here, not by the TLS library without its name. */
export function pemOf(files: Files, flag: string, path: string): string {
  const text = fileOf(files, flag, path)
  if (text.includes("-----BEGIN ")) return text
  throw new PilothouseError("USAGE", `expected a PEM file at ${path} for ${flag}, found something else; mend the path or the file`)
}

/** The same for one or more certificates. */
export function certificateOf(files: Files, flag: string, path: string): string {
  return parsedPem(files, { flag, path, what: "certificate" }, (pem) => new X509Certificate(pem))
}

/** The same for a private key. */
export function privateKeyOf(files: Files, flag: string, path: string): string {
  return parsedPem(files, { flag, path, what: "private key" }, createPrivateKey)
}

interface ExpectedPem {
  readonly flag: string
  readonly path: string
  readonly what: string
}

function parsedPem(files: Files, { flag, path, what }: ExpectedPem, parse: (pem: string) => unknown): string {
  const pem = pemOf(files, flag, path)
  try {
    parse(pem)
    return pem
  } catch (error) {
    throw new PilothouseError(
      "USAGE",
      `${flag}: expected a ${what} (PEM) in ${path}, found something else (${messageOf(error)}); give the right file`,
    )
  }
}
