import { createSocket, type Socket } from "node:dgram"
import { whoAnswered } from "./http-lane.ts"
import type { Lane } from "./load.ts"

/** One flow: datagrams from one port. None is sent twice, so that one that gets lost is seen. */
export function udpLane(host: string, port: number): Lane {
  const socket = createSocket("udp4")
  return {
    ask: async (question) => whoAnswered(await answerTo(socket, question, { host, port }), question),
    [Symbol.dispose]: () => socket.close(),
  }
}

function answerTo(socket: Socket, question: string, { host, port }: { readonly host: string; readonly port: number }): Promise<string> {
  return new Promise((resolve, reject) => {
    const take = (message: Buffer) => {
      clearTimeout(late)
      resolve(message.toString())
    }
    const late = setTimeout(() => {
      socket.off("message", take)
      reject(new Error("no answer within 5 s"))
    }, 5000)
    socket.once("message", take)
    socket.send(question, port, host, (error) => error && reject(error))
  })
}
