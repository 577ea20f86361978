import { randomContract } from "../random/random.contract.ts"
import { systemRandom } from "./system-random.ts"

randomContract("system", systemRandom)
