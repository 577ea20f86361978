/** Bytes that a piece takes beside its own: a client may send each byte by itself. */
const pieceCost = 512
/** Bytes of one connection that may wait for their readers, those of all its streams. */
const connectionLimit = 1024 * 1024
/** Bytes of one connection that may wait whatever others have. */
const ownRoom = 64 * 1024
/** Bytes of all connections. */
const totalLimit = 128 * 1024 * 1024

/** What clients of streams have sent and no reader has taken yet. Invariant: `#total` is the sum of all connections. */
export class WaitingInput {
  readonly #limit: number
  readonly #full = new Set<ConnectionInput>()
  #total = 0

  constructor(limit = totalLimit) {
    this.#limit = limit
  }

  connection(): ConnectionInput {
    return new ConnectionInput({
      add: (bytes) => {
        this.#total += bytes
        if (bytes < 0 && this.#total < this.#limit) for (const one of this.#full) one.check()
      },
      hasRoom: () => this.#total < this.#limit,
      full: this.#full,
    })
  }
}

/** What a connection knows of all others. */
interface AllInput {
  add(bytes: number): void
  hasRoom(): boolean
  /** Those that wait for room. */
  readonly full: Set<ConnectionInput>
}

/**
 * What of one connection waits: its reader adds to it, and reads on when there is room. Invariant: no callback waits while there is room,
 * and after its end it counts nothing.
 */
export class ConnectionInput implements Disposable {
  readonly #all: AllInput
  #held = 0
  #isOver = false
  #callbacks: (() => void)[] = []

  constructor(all: AllInput) {
    this.#all = all
  }

  get hasRoom(): boolean {
    return this.#held < ownRoom || (this.#held < connectionLimit && this.#all.hasRoom())
  }

  add(bytes: number): void {
    if (this.#isOver) return
    this.#held += bytes
    this.#all.add(bytes)
    if (bytes < 0) this.check()
  }

  /** Calls back at once, or when readers have taken enough. */
  whenRoom(callback: () => void): void {
    if (this.hasRoom) return callback()
    this.#callbacks.push(callback)
    this.#all.full.add(this)
  }

  /** The connection is over: what still waits on it is garbage. */
  [Symbol.dispose](): void {
    this.add(-this.#held)
    this.#isOver = true
  }

  check(): void {
    if (this.#callbacks.length === 0 || !this.hasRoom) return
    this.#all.full.delete(this)
    for (const callback of this.#callbacks.splice(0)) callback()
  }
}

/** Returns the same bytes without those around them: what a socket reads at once can be ten thousand times as long, and would be kept for them. */
export function ownBytes(piece: Buffer): Buffer {
  if (piece.length * 2 >= piece.buffer.byteLength) return piece
  const own = Buffer.allocUnsafeSlow(piece.length)
  piece.copy(own)
  return own
}

/** The pieces of one stream that wait, the oldest first. Invariant: the connection's input has them, with what each costs. */
export class WaitingPieces {
  readonly #input: ConnectionInput
  #pieces: number[] = []
  #bytes = 0

  constructor(input: ConnectionInput) {
    this.#input = input
  }

  /** A piece has come, and so many bytes wait now. */
  add(piece: number, waiting: number): void {
    this.#pieces.push(piece)
    this.#bytes += piece
    this.#input.add(piece + pieceCost)
    this.keep(waiting)
  }

  /** A piece has come that is kept in one with those before it, which wait. */
  join(piece: number, waiting: number): void {
    this.#pieces.push((this.#pieces.pop() ?? 0) + piece)
    this.#bytes += piece
    this.#input.add(piece)
    this.keep(waiting)
  }

  /** Readers have taken all but so many bytes. */
  keep(waiting: number): void {
    let [freed, gone] = [0, 0]
    while (this.#bytes > waiting) {
      const piece = this.#pieces[gone]!
      const taken = Math.min(piece, this.#bytes - waiting)
      this.#bytes -= taken
      freed += taken
      if (taken < piece) this.#pieces[gone] = piece - taken
      else {
        gone++
        freed += pieceCost
      }
    }
    if (gone > 0) this.#pieces = this.#pieces.slice(gone)
    if (freed > 0) this.#input.add(-freed)
  }
}
