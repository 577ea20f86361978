import type { Duplex } from "node:stream"

/** Passes bytes both ways until both sides have ended; one that breaks takes the other with it. `ended` is called once. */
export function join(client: Duplex, endpoint: Duplex, ended: () => void): void {
  let open = 2
  const follow = (from: Duplex, to: Duplex) => {
    from.pipe(to)
    from.on("error", () => to.destroy())
    from.once("close", () => {
      // What has come before the end still goes out; there is nobody left to send answers to.
      if (from.readableEnded && !to.writableFinished && !to.destroyed) to.once("finish", () => to.destroy())
      else to.destroy()
      if (--open === 0) ended()
    })
  }
  follow(client, endpoint)
  follow(endpoint, client)
}
