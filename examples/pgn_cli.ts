/**
 * Replays the games of PGN files of any size and says what they hold.
 *
 * ```sh
 * deno run --allow-read jsr:@quintessence/chess/pgn-cli --help
 * ```
 *
 * @module
 */

import { parseArgs } from "node:util";
import { type Game, readPgn, replay } from "./pgn.ts";

const HELP = `Replay the chess games of PGN files, in UTF-8 or Latin-1.

pgn [FILE...]  replay all games of the files, or of standard input if none is given;
               print how many games, moves and results of each kind there were, and on
               standard error each broken game in a line, as "FILE:LINE: what is wrong"

  --fen        print the position at the end of each game as a line; the totals follow
               on standard error
  --check      count a game as broken, too, if one of its + or # is not true
  --help, -h   print this

The exit code is 1 if a game was broken, and 2 if a file could not be read.`;

/** A comment that is longer, in characters, has no end, and games are found in it again. */
const LONGEST_COMMENT = 2 ** 22;

/** Decodes bytes in pieces of whole characters. What is not UTF-8 is Latin-1, in which all is valid. */
async function* decode(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const utf8 = new TextDecoder("utf-8", { fatal: true }), latin1 = new TextDecoder("latin1");
  const toText = (...parts: Uint8Array[]) => {
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    parts.reduce((at, part) => (bytes.set(part, at), at + part.length), 0);
    try {
      return utf8.decode(bytes);
    } catch {
      return latin1.decode(bytes);
    }
  };
  let rest = new Uint8Array();
  for await (const chunk of stream) {
    const end = chunk.findLastIndex((byte) => byte < 128) + 1 || chunk.length; // after an ASCII one
    yield toText(rest, chunk.subarray(0, end));
    rest = chunk.slice(end);
  }
  yield toText(rest);
}

/** Where the last game of a text begins: at the first of its tags, and in no comment; 0 if none does. */
function findLastGame(text: string): number {
  for (let at = text.length; (at = text.lastIndexOf("\n[", at - 1)) >= 0;) {
    const before = text.slice(0, at).trimEnd(),
      isFirst = before[before.lastIndexOf("\n") + 1] !== "[";
    if (!isFirst) continue;
    const opened = text.indexOf("{", text.lastIndexOf("}", at) + 1);
    if (opened < 0 || opened > at || at - opened > LONGEST_COMMENT) return at + 1;
    at = opened;
  }
  return 0;
}

/** Cuts a text that comes in pieces between games; tells how many lines were before each part. */
async function* cut(pieces: AsyncIterable<string>): AsyncGenerator<[text: string, lines: number]> {
  let text = "", lines = 0, enough = 0;
  for await (const piece of pieces) {
    text += piece;
    if (text.length < enough) continue;
    const end = findLastGame(text);
    enough = end === 0 ? 2 * text.length : 0; // so that a long game is not searched again and again
    if (end === 0) continue;
    const part = text.slice(0, end);
    yield [part, lines];
    lines += part.split("\n").length - 1;
    text = text.slice(end);
  }
  yield [text, lines];
}

/** Writes all of a text, and ends the program if nobody reads it any more. */
function write(stream: typeof Deno.stdout | typeof Deno.stderr, text: string): void {
  let bytes = new TextEncoder().encode(text);
  try {
    while (bytes.length > 0) bytes = bytes.subarray(stream.writeSync(bytes));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
    Deno.exit();
  }
}

/** Shows a line in place of the one before, on a terminal only. */
function show(line: string): void {
  if (Deno.stderr.isTerminal()) write(Deno.stderr, `\r\x1b[K${line}`);
}

function complain(line: string, code: number): void {
  show("");
  write(Deno.stderr, line + "\n");
  Deno.exitCode = Math.max(Deno.exitCode, code);
}

async function main(): Promise<void> {
  const { values: options, positionals: files } = parseArgs({
    args: Deno.args,
    allowPositionals: true,
    options: {
      fen: { type: "boolean" },
      check: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (options.help) return write(Deno.stdout, HELP + "\n");
  const totals = { games: 0, moves: 0, "1-0": 0, "0-1": 0, "1/2-1/2": 0, "*": 0, broken: 0 };
  const start = performance.now();
  let shown = start;

  /** Replays the next game and returns a line to print, or `undefined` after the last game. */
  const replayNext = (games: Iterator<Game>): string | undefined => {
    const { done, value: game } = games.next();
    if (done) return undefined;
    const board = replay(game, options.check);
    totals.games++;
    totals.moves += game.moves.length;
    totals[game.result as Game["result"]]++;
    return options.fen ? board.fen() + "\n" : "";
  };

  for (const file of files.length > 0 ? files : [undefined]) {
    try {
      const stream = file === undefined ? Deno.stdin.readable : (await Deno.open(file)).readable;
      for await (const [text, lines] of cut(decode(stream))) {
        const games = readPgn(text);
        let output = "";
        for (let line: string | undefined = ""; line !== undefined; output += line ?? "") {
          try {
            line = replayNext(games);
          } catch (error) {
            const broken = error instanceof Error && error.message.match(/^Line (\d+): (.*)/s);
            if (!broken) throw error;
            complain(`${file ?? "stdin"}:${lines + Number(broken[1])}: ${broken[2]}`, 1);
            totals.broken++;
          }
        }
        write(Deno.stdout, output);
        if (performance.now() - shown < 200) continue;
        shown = performance.now();
        const speed = totals.moves / (shown - start) / 1e3;
        show(`${totals.games} games  ${totals.moves} moves  ${speed.toFixed(2)} million a second`);
      }
    } catch (error) {
      complain(`${file ?? "stdin"}: ${error instanceof Error ? error.message : error}`, 2);
    }
  }
  show("");
  const report = Object.entries(totals).map(([name, count]) => `${name}\t${count}\n`).join("");
  write(options.fen ? Deno.stderr : Deno.stdout, report);
}

if (import.meta.main) {
  Deno.addSignalListener("SIGINT", () => {
    show("");
    Deno.exit(130);
  });
  await main().catch((error) => complain(error.message.split("\n")[0], 2));
  Deno.exit();
}
