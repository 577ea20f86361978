import { expired, type StatusError } from "@pilothouse/api"
import { type Frame, type Stream, type Transport, type TransportRequest, valueBody } from "@pilothouse/seams"

type Layer = (inner: Transport) => Transport

/** Records every write of the controllers, or of one of them: "POST /api/v1/namespaces/default/pods". */
export function noting(writes: string[], controller?: string): Layer {
  return (inner) => (request) => {
    const isTheirs = controller === undefined || request.headers["user-agent"]?.endsWith(`/${controller}`)
    if (request.verb !== "GET" && isTheirs) writes.push(`${request.verb} ${request.path}`)
    return inner(request)
  }
}

/** Answers a request of the controllers with the failure for it, if there is one. */
export function refusing(failure: (request: TransportRequest) => StatusError | undefined): Layer {
  return (inner) => async (request) => {
    const refused = failure(request)
    return refused === undefined ? inner(request) : { status: refused.statusCode, headers: {}, body: valueBody(refused.status) }
  }
}

/** Lets every watch event come twice. */
export function doubling(): Layer {
  return watching("", async function* (frames) {
    for await (const frame of frames) yield* [frame, frame]
  })
}

/** Drops the next deletion of an object of the resource: the watch says that its history is gone. */
export function losingDeletion(plural: string): Layer {
  let lost = false
  return watching(plural, async function* (frames) {
    for await (const frame of frames) {
      const { type } = frame.type === "value" ? (frame.value as { readonly type: string }) : { type: "" }
      if (lost || type !== "DELETED") yield frame
      else {
        lost = true
        yield valueBody({ type: "ERROR", object: expired("too old resource version").status })
        return
      }
    }
  })
}

export interface Held {
  readonly layer: Layer
  /** From now on no event of the resource reaches the controllers. */
  hold(): void
  release(): void
}

/** A watch that can be kept behind: the stale cache of every story about pods that were made twice. */
export function held(plural: string): Held {
  let gate = Promise.withResolvers<void>()
  gate.resolve()
  const layer = watching(plural, async function* (frames) {
    for await (const frame of frames) {
      await gate.promise
      yield frame
    }
  })
  return {
    layer,
    hold() {
      gate = Promise.withResolvers()
    },
    release() {
      gate.resolve()
    },
  }
}

/** Changes the events of the watches of a resource, or of all resources where none is named. */
export function watching(plural: string, change: (frames: AsyncIterable<Frame>) => AsyncIterable<Frame>): Layer {
  return (inner) => async (request) => {
    const response = await inner(request)
    if (response.body.type !== "stream" || !request.path.endsWith(plural)) return response
    const body: Stream = { type: "stream", frames: change(response.body.frames) }
    return { ...response, body }
  }
}
