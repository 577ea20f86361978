import type { TlsPair } from "@pilothouse/discovery"
import { type Clock, type Log, messageOf } from "@pilothouse/seams"

export interface CertificateRotationOptions {
  /** Whose certificate it is, for the log; that of xDS by default. */
  readonly of?: string
  /** What the files have now; throws where one of them is missing or no PEM. */
  read(): TlsPair
  /** Takes a pair into use; throws where it is no good. */
  renew(pair: TlsPair): void
  /** What is in use at the start. */
  readonly started: TlsPair
  readonly clock: Clock
  readonly log: Log
}

/** How often the files are looked at: as often as the other files that the server follows. */
const every = 10_000

/**
 * Takes over a certificate that was replaced on disk.
 *
 * Invariant: the last good pair is in use; a bad one is logged once, and tried again when its files change.
 */
export class CertificateRotation {
  readonly #options: CertificateRotationOptions
  /** What was tried last, good or bad. */
  #tried: string

  constructor(options: CertificateRotationOptions) {
    this.#options = options
    this.#tried = contentOf(options.started)
  }

  /** Looks at the files now. */
  check(): void {
    const { read, renew, log, of = "xDS" } = this.#options
    let tried = ""
    try {
      const pair = read()
      tried = contentOf(pair)
      if (tried === this.#tried) return
      renew(pair)
      log.info(`the certificate of ${of} was read again; new connections meet the new one`)
    } catch (error) {
      // A file that is missing is tried again each time, and logged once.
      if (tried === "") tried = messageOf(error)
      if (tried === this.#tried) return
      log.error(`the certificate of ${of} could not be read again; the last good one stays`, { error: messageOf(error) })
    }
    this.#tried = tried
  }

  /** Runs until disposed. */
  start(): AsyncDisposable {
    const stop = new AbortController()
    const running = this.run(stop.signal)
    return {
      async [Symbol.asyncDispose]() {
        stop.abort()
        await running
      },
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    while (!signal.aborted) {
      // The signal ends the wait.
      await clock.sleep(every, { signal, name: "the certificate is looked at" }).catch(() => {})
      if (!signal.aborted) this.check()
    }
  }
}

function contentOf({ certificate, key, clientAuthority = "" }: TlsPair): string {
  return JSON.stringify([certificate, key, clientAuthority])
}
