/**
 * Talks to a native Stockfish over UCI, as an independent judge of moves and positions.
 *
 * Nothing waits for anything: commands are queued, sent together, and each answer resolves its own
 * promise. Stockfish prints positions and perft counts from two threads, so the answers of one sort
 * keep their order, but the two sorts may overtake each other.
 *
 * @module
 */

/** What Stockfish counts below a position: in all, and below each move. */
export interface Perft {
  total: number;
  moves: Map<string, number>;
}

/** How Stockfish writes a position: the FEN, and the squares of the checkers, such as "e4 h5". */
export interface Display {
  fen: string;
  checkers: string;
}

interface Waiting<T> {
  resolve: (answer: T) => void;
  reject: (error: Error) => void;
}

/** Starts the program named by the environment variable STOCKFISH, or the installed one. */
export function spawnStockfish(): Deno.ChildProcess {
  const named = Deno.env.get("STOCKFISH");
  // Debian installs games where the superuser's PATH does not lead.
  for (const path of named ? [named] : ["stockfish", "/usr/games/stockfish"]) {
    try {
      return new Deno.Command(path, { stdin: "piped", stdout: "piped" }).spawn();
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  throw new Error(
    (named ? `Stockfish is not at STOCKFISH=${JSON.stringify(named)}` : "Stockfish is missing") +
      ": install it with `apt-get install stockfish`, or name the program in STOCKFISH=path",
  );
}

/** One process of Stockfish. */
export class Stockfish {
  /** How the program names itself, such as "Stockfish 15.1". */
  name = "";
  readonly #process: Deno.ChildProcess = spawnStockfish();
  readonly #input: WritableStreamDefaultWriter<Uint8Array> = this.#process.stdin.getWriter();
  readonly #starts: Waiting<void>[] = [];
  readonly #displays: Waiting<Display>[] = [];
  readonly #perfts: Waiting<Perft>[] = [];
  #unsent = "";
  #fen = "";
  #moves = new Map<string, number>();
  #failure: Error | undefined;
  readonly #ended: Promise<void> = this.#listen();

  /**
   * Starts Stockfish: the program named by the environment variable STOCKFISH, or the installed one.
   *
   * @returns The engine, ready for commands.
   * @throws {Error} If there is none; the message says how to install it.
   */
  static async start(): Promise<Stockfish> {
    const engine = new Stockfish();
    await engine.#ask("uci", engine.#starts);
    return engine;
  }

  /**
   * Sets up the position that the following questions are about.
   *
   * @param fen The position to start from; it must be legal, for Stockfish does not check it.
   * @param moves The moves to play from there, as UCI texts; an illegal one ends the list.
   */
  position(fen: string, moves: readonly string[] = []): void {
    this.#send(`position fen ${fen}${moves.length > 0 ? " moves " : ""}${moves.join(" ")}`);
  }

  /**
   * Counts the leaves of the tree of moves.
   *
   * @param depth How many half-moves deep, from 1.
   * @returns The counts; at depth 1 the keys are the legal moves.
   */
  perft(depth: number): Promise<Perft> {
    return this.#ask(`go perft ${depth}`, this.#perfts);
  }

  /**
   * Writes the position down.
   *
   * @returns Its FEN and checkers.
   */
  display(): Promise<Display> {
    return this.#ask("d", this.#displays);
  }

  /** Ends the process, after everything asked before has been answered. */
  async quit(): Promise<void> {
    this.#send("quit");
    await this.#ended;
  }

  #ask<T>(command: string, waiting: Waiting<T>[]): Promise<T> {
    if (this.#failure) return Promise.reject(this.#failure);
    this.#send(command);
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  }

  #send(command: string): void {
    // All that is asked in one go is sent in one go, when the caller comes to wait.
    if (this.#unsent === "") queueMicrotask(() => this.#flush());
    this.#unsent += command + "\n";
  }

  #flush(): void {
    const bytes = new TextEncoder().encode(this.#unsent);
    this.#unsent = "";
    this.#input.write(bytes).catch(() => {}); // a broken pipe shows when the output ends
  }

  async #listen(): Promise<void> {
    let rest = "";
    for await (const text of this.#process.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) this.#read(line);
    }
    await this.#input.close().catch(() => {});
    const { code, signal } = await this.#process.status;
    this.#failure = new Error(`Stockfish has ended (${signal ?? `exit code ${code}`})`);
    for (const { reject } of [...this.#starts, ...this.#displays, ...this.#perfts]) {
      reject(this.#failure);
    }
  }

  #read(line: string): void {
    const colon = line.indexOf(":"), value = line.slice(colon + 1).trim();
    if (colon === 4 || colon === 5) this.#moves.set(line.slice(0, colon), Number(value));
    else if (line.startsWith("Nodes searched")) {
      // The total that stands here may be wrong by one: the counter belongs to both threads, and
      // the next position's moves are being played already. The counts of the moves are sound.
      const total = this.#moves.values().reduce((sum, count) => sum + count, 0);
      this.#perfts.shift()?.resolve({ total, moves: this.#moves });
      this.#moves = new Map();
    } else if (line.startsWith("Fen")) this.#fen = value;
    else if (line.startsWith("Checkers")) {
      this.#displays.shift()?.resolve({ fen: this.#fen, checkers: value });
    } else if (line.startsWith("id name ")) this.name = line.slice(8).trim();
    else if (line.trim() === "uciok") this.#starts.shift()?.resolve();
  }
}
