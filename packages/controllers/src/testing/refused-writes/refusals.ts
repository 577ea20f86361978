import { conflict, forbidden, internalError, invalid, type StatusError } from "@pilothouse/api"
import { type Transport, type TransportRequest, valueBody } from "@pilothouse/seams"
import { writerOf } from "@pilothouse/testing"
import type { RefusedWrite } from "./refused-write.ts"

export type Code = 403 | 409 | 422 | 500

export const codes: readonly Code[] = [403, 409, 422, 500]

export function placeOf(code: Code): string {
  return `refused-${code}`
}

const refusals: Readonly<Record<Code, StatusError>> = {
  403: forbidden({ group: "", plural: "objects" }, "it", "not while I am on watch"),
  409: conflict({ group: "", plural: "objects" }, "it"),
  422: invalid({ group: "", kind: "Object" }, "it", [{ reason: "FieldValueInvalid", field: "spec", message: "Invalid value: no" }]),
  500: internalError("the disk is on fire"),
}

function isSuch({ verb, path }: TransportRequest, write: string): boolean {
  const [verbs = "", resource] = write.split(" ")
  return verbs.split("|").includes(verb) && resourceOf(path) === resource
}

/** "jobs/status" */
function resourceOf(path: string): string {
  const parts = path.split("/").slice(path.startsWith("/apis/") ? 4 : 3)
  const isInNamespace = parts[0] === "namespaces" && parts.length > 2 && !["status", "finalize"].includes(parts[2]!)
  const [plural, , subresource] = isInNamespace ? parts.slice(2) : parts
  return subresource === undefined ? `${plural}` : `${plural}/${subresource}`
}

/** Refuses by the place that the path or the body names; the tries are counted. */
export class Refusals {
  readonly tries = new Map<Code, number>()
  readonly #row: RefusedWrite
  isOn: boolean

  constructor(row: RefusedWrite) {
    this.#row = row
    this.isOn = row.change === undefined
  }

  readonly layer =
    (inner: Transport): Transport =>
    async (request) => {
      const code = this.#codeFor(request)
      if (code === undefined) return inner(request)
      this.tries.set(code, (this.tries.get(code) ?? 0) + 1)
      return { status: code, headers: {}, body: valueBody(refusals[code].status) }
    }

  #codeFor(request: TransportRequest): Code | undefined {
    const { controller, write } = this.#row
    if (!this.isOn || writerOf(request) !== controller || !isSuch(request, write)) return undefined
    const named = `${request.path} ${JSON.stringify(request.body)}`
    return codes.find((code) => named.includes(placeOf(code)))
  }
}
