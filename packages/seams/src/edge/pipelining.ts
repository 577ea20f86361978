/** As much of a socket as is needed: of TCP, or of TLS. */
export interface ByteSocket {
  readonly destroyed: boolean
  listeners(name: string): readonly Function[]
  removeListener(name: string, listener: (...args: never[]) => void): unknown
  on(name: "data", listener: (chunk: Uint8Array) => void): unknown
  pause(): unknown
  resume(): unknown
  unshift(chunk: Uint8Array): unknown
}

interface Request {
  readonly httpVersionMajor: number
  readonly headers: Readonly<Record<string, unknown>>
  /** All of it was read. */
  readonly complete: boolean
  readonly socket: object
}

interface Response {
  once(name: "close", listener: () => void): unknown
}

/** As much of a server of HTTP/1.1, or of both versions, as is needed. */
export interface HttpServer {
  listeners(name: string): readonly Function[]
  on(name: string, listener: (...args: never[]) => void): unknown
  prependListener(name: string, listener: (...args: never[]) => void): unknown
}

/** Bytes that node's parser is given at once beyond a body that it is reading: it hands out every request in them, and there is room for forty. */
const pieceSize = 1024

/**
 * Reads the requests of each connection over HTTP/1.1 one after the other: what a client sends before it has its answers stays unread. Node parses all that it
 * has read from a socket in one turn, which are thousands of requests where a client waits for no answer.
 *
 * `connection` is the event with which the server hands out sockets that are ready for requests. Call it when all other listeners are there.
 */
export function readOneByOne(server: HttpServer, connection: "connection" | "secureConnection"): void {
  const readers = new WeakMap<object, PieceReader>()
  server.on(connection, (socket: ByteSocket) => {
    const [parse] = socket.listeners("data")
    // None where it was refused, or where it is for HTTP/2.
    if (parse !== undefined) readers.set(socket, new PieceReader(socket, parse as (piece: Uint8Array) => void))
  })
  const begin = (request: Request, response: Response) => {
    if (request.httpVersionMajor === 1) readers.get(request.socket)?.begin(request, response)
  }
  server.prependListener("request", begin)
  // With a listener of its own for it, node would leave it to that to let the client go on.
  if (server.listeners("checkContinue").length > 0) server.prependListener("checkContinue", begin)
  // Likewise: with a listener for it, node hands over the socket.
  if (server.listeners("upgrade").length > 0)
    server.prependListener("upgrade", (_request: Request, socket: ByteSocket) => readers.get(socket)?.release())
}

/**
 * Invariant between calls: what is held is parsed when all requests that were parsed are answered, or as soon as the last of them is not whole; while
 * something is held, the socket is paused.
 */
class PieceReader {
  readonly #socket: ByteSocket
  readonly #parse: (piece: Uint8Array) => void
  readonly #held: Uint8Array[] = []
  #underWay = 0
  readonly #take: (chunk: Uint8Array) => void
  /** The request that came last. */
  #newest: Request | undefined
  /** Bytes of its body that are yet to come, at least. */
  #body = 0
  #isFeeding = false
  #isPaused = false
  #isScheduled = false

  constructor(socket: ByteSocket, parse: (piece: Uint8Array) => void) {
    this.#socket = socket
    this.#parse = parse
    socket.removeListener("data", parse)
    this.#take = (chunk) => {
      this.#held.push(chunk)
      this.#feed()
    }
    socket.on("data", this.#take)
  }

  /** The connection is no longer for requests: what is held goes back to where it came from, for another reader. */
  release(): void {
    this.#socket.removeListener("data", this.#take)
    const rest = this.#held.splice(0)
    this.#isPaused = false
    for (const chunk of rest.reverse()) this.#socket.unshift(chunk)
  }

  begin(request: Request, response: Response): void {
    this.#underWay++
    this.#newest = request
    // Some of it may have come with its headers.
    this.#body = Math.max(0, Number(request.headers["content-length"] ?? 0) - pieceSize)
    response.once("close", () => {
      this.#underWay--
      if (this.#held.length > 0) this.#feedLater()
    })
  }

  /** Once in a turn: answers that are made at once would hold the event loop up, one after the other. */
  #feedLater(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#feed()
    })
  }

  #feed(): void {
    if (this.#isFeeding) return
    this.#isFeeding = true
    while (this.#held.length > 0 && !this.#socket.destroyed && (this.#underWay === 0 || this.#newest?.complete === false))
      this.#parse(this.#nextPiece())
    this.#isFeeding = false
    this.#pause()
  }

  #nextPiece(): Uint8Array {
    const [first] = this.#held
    const piece = first!.subarray(0, Math.max(pieceSize, this.#body))
    this.#body = Math.max(0, this.#body - piece.length)
    if (piece.length === first!.length) this.#held.shift()
    else this.#held[0] = first!.subarray(piece.length)
    return piece
  }

  /** Each time: node resumes a socket when it reads a body. */
  #pause(): void {
    if (this.#held.length > 0) {
      this.#isPaused = true
      this.#socket.pause()
    } else if (this.#isPaused) {
      this.#isPaused = false
      this.#socket.resume()
    }
  }
}
