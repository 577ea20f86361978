export { countFlag, durationFlag, type Flag, type Flags, numberFlag, switchFlag, textFlag } from "@pilothouse/runtime"
