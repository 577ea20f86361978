import { cloudControllers } from "@pilothouse/cloud"
import { loopNamed } from "./loop-named.ts"

/** Whether --controllers asks for the loop that makes load balancers. */
export function isServiceLoopSelected(select: readonly string[]): boolean {
  const words = select.filter((word) => loopNamed(word)?.name === "service-lb-controller")
  return !words.some((word) => word.startsWith("-")) && (words.length > 0 || select.includes("*"))
}

/** Whether a word of --controllers is about a loop of the cloud: those are not in the table of the others. */
export function isCloudLoop(word: string): boolean {
  const found = loopNamed(word)
  return cloudControllers.some((entry) => entry === found)
}
