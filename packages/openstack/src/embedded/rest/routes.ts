import type { HeaderMap, Query, Verb } from "@pilothouse/seams"

/** One request, after it was let in. */
export interface EmbeddedRequest {
  readonly verb: Verb
  readonly path: string
  readonly query: Query
  readonly headers: HeaderMap
  /** The JSON of the body. */
  readonly body: unknown
  /** The project of the token. */
  readonly project: string
  /** What the pattern of the route names, in order. */
  readonly parts: readonly string[]
}

export interface EmbeddedAnswer {
  readonly status: number
  readonly value?: unknown
  readonly headers?: HeaderMap
}

export type Handle = (request: EmbeddedRequest) => EmbeddedAnswer

/** "GET /v2.0/ports/*": a star is one part of the path. */
export type Routes = Readonly<Record<string, Handle>>

interface Compiled {
  readonly verb: string
  readonly pattern: RegExp
  readonly handle: Handle
}

/** Finds the handler of a call. Compiled once: every call of a cloud goes through it. */
export class Router {
  readonly #compiled: readonly Compiled[]

  constructor(routes: Routes) {
    this.#compiled = Object.entries(routes).map(([name, handle]) => {
      const [verb = "", path = ""] = name.split(" ")
      return { verb, pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll("*", "([^/]+)")}/?$`), handle }
    })
  }

  find(verb: string, path: string): { readonly handle: Handle; readonly parts: readonly string[] } | undefined {
    // Decoded first, as the real ones do: an encoded slash is a slash like any other.
    const decoded = decodeURIComponent(path)
    for (const route of this.#compiled) {
      const found = route.verb === verb ? route.pattern.exec(decoded) : null
      if (found !== null) return { handle: route.handle, parts: found.slice(1) }
    }
    return undefined
  }
}
