import { messageOf } from "@pilothouse/seams"
import { CloudError } from "../../provider/cloud-errors.ts"

/** Ports that are tried in place of one that cannot be had. */
const maxTries = 50

/** 80 → 8080, 443 → 8443; others have 8000 more as well, as far as there are ports. */
function* replacements(port: number): Generator<number, void> {
  const first = port + 8000 <= 65_535 ? port + 8000 : port - 8000
  for (let step = 0; step < maxTries; step++) yield first + step <= 65_535 ? first + step : 1024 + step
}

/**
 * Binds the first of the ports that can be had, or the next best one in place of the last: this process may not have it, or somebody else has it.
 * EADDRNOTAVAIL is thrown: no port would help.
 */
export async function bindOrNext<T>(ports: readonly number[], bind: (port: number) => Promise<T>): Promise<T> {
  const wished = ports.at(-1) ?? 0
  for (const port of [...ports, ...replacements(wished)]) {
    try {
      return await bind(port)
    } catch (error) {
      if (!isTaken(error)) throw error
    }
  }
  throw new CloudError(`expected to bind port ${wished} or one of ${maxTries} in its place, found none free`)
}

/** That port or none. */
export async function bindExactly<T>(address: string, port: number, bind: (port: number) => Promise<T>): Promise<T> {
  try {
    return await bind(port)
  } catch (cause) {
    throw new CloudError(`expected to bind ${address}:${port}, found that this process cannot: ${messageOf(cause)}; free the port`)
  }
}

export function isAddressMissing(error: unknown): boolean {
  const code = codeOf(error)
  return code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT"
}

function isTaken(error: unknown): boolean {
  const code = codeOf(error)
  return code === "EACCES" || code === "EADDRINUSE" || code === "EPERM"
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : messageOf(error)
}
