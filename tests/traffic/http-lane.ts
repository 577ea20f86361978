import { Agent, get } from "node:http"
import { text } from "node:stream/consumers"
import type { Lane } from "./load.ts"

/** HTTP over a connection that is kept for as long as the server lets it, or over a new one for each request. */
export function httpLane(host: string, port: number, keepAlive: boolean): Lane {
  const agent = new Agent({ keepAlive, maxSockets: 1 })
  return {
    ask: async (question) => whoAnswered(await request({ agent, host, port, path: `/${question}` }), `/${question}\n`),
    [Symbol.dispose]: () => agent.destroy(),
  }
}

function request(options: object): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ ...options, timeout: 5000 }, (response) => {
      if (response.statusCode === 200) text(response).then(resolve, reject)
      else reject(new Error(`status ${response.statusCode}`))
    })
      .once("timeout", () => reject(new Error("no answer within 5 s")))
      .once("error", reject)
  })
}

/** "web-1 /question": the name of the pod, and what it was asked. */
export function whoAnswered(answer: string, question: string): string {
  const [who = ""] = answer.split(" ")
  if (answer !== `${who} ${question}`) throw new Error(`the answer to something else: ${answer}`)
  return who
}
