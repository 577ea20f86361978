import { messageOf } from "@pilothouse/seams"
import { CloudError } from "../../provider/cloud-errors.ts"

/** Ports that are tried in place of one that cannot be bound. */
const maxTries = 50

/** 80 → 8080, 443 → 8443; others have 8000 more as well, as far as there are ports. */
function* replacements(port: number): Generator<number, void> {
  const first = port + 8000 <= 65_535 ? port + 8000 : port - 8000
  for (let step = 0; step < maxTries; step++) yield first + step <= 65_535 ? first + step : 1024 + step
}

/**
 * Binds the first of the ports that is free, or a replacement of the last: this process may not bind it, or another process has it.
 * EADDRNOTAVAIL is thrown: no port would help.
 */
export async function bindOrNext<T>(ports: readonly number[], bind: (port: number) => Promise<T>): Promise<T> {
  const requested = ports.at(-1) ?? 0
  for (const port of [...ports, ...replacements(requested)]) {
    try {
      return await bind(port)
    } catch (error) {
      if (!isTaken(error)) throw error
    }
  }
  throw new CloudError(`expected to bind port ${requested} or one of ${maxTries} in its place, found none free`)
}

/** Binds that port, or throws a CloudError. */
export async function bindExactly<T>(address: string, port: number, bind: (port: number) => Promise<T>): Promise<T> {
  try {
    return await bind(port)
  } catch (cause) {
    throw new CloudError(`expected to bind ${address}:${port}, found that this process cannot: ${messageOf(cause)}; free the port`)
  }
}

/** Reports whether the system lacks the address itself, so that no port of it can be bound. */
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
