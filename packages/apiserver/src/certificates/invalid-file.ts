import { PilothouseError } from "@pilothouse/seams"
import type { CertificateOptions } from "./certificates.ts"

type Where = Pick<CertificateOptions, "directory">

/** A file of the directory that is not what it should be. It is left as it is: another program may need it, and clients trust the old ones. */
export function invalidFile(where: Where, name: string, expected: string, found: string): PilothouseError {
  return new PilothouseError("FILE", `expected ${expected} in ${where.directory}/${name}, found ${found}; ${whatToDo(where)}`)
}

/** One that cannot even be read as what its name says. */
export function unreadableFile(
  where: Where,
  name: string,
  { expected, why, cause }: { readonly expected: string; readonly why: string; readonly cause?: unknown },
): PilothouseError {
  const message = `expected ${expected} in ${where.directory}/${name}, found something else (${why})`
  return new PilothouseError("FILE", `${message}; ${whatToDo(where)}`, { cause })
}

function whatToDo({ directory }: Where): string {
  return `put the right file back, or remove ${directory} to have everything recreated (nothing was changed)`
}
