import { loop } from "../loop.ts"
import { taintEvictionController } from "./controller.ts"

export const taintEvictionLoop = loop({
  name: "taint-eviction-controller",
  create: (_set, { metrics }) => taintEvictionController({ metrics }),
})
