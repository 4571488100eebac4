"""References for the trials: outputs change piles one by one, and definitions are followed word by word.

Nothing here calls the code that is tested, except that metrics score sums of statistics, which has tests of its own.
"""

import math
from itertools import product

import numpy as np

#: Differences that are closer than this are equal.
TIED = 1e-7
#: So many exchanges say how far a metric is from linear.
N_FIXED = 1024


def word(key, number):
    """Word ``number`` of the stream with a key: docs/draws.md, The rule as a program."""
    mixed = (key + (number + 1) * 0x9E3779B97F4A7C15) % 2**64
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
    return mixed ^ mixed >> 31


def fixed_exchanges(n_coins):
    """All exchanges, where half of them are no more than 1,024; else the first 1,024 trials of K = 0."""
    if 2 ** (n_coins - 1) <= N_FIXED:
        return list(product([0, 1], repeat=n_coins))
    each = -(-n_coins // 64)
    words = [[word(word(0, 1), trial * each + place) for place in range(each)] for trial in range(N_FIXED)]
    return [[own[coin // 64] >> coin % 64 & 1 for coin in range(n_coins)] for own in words]


def move_outputs(a, b, coins, units, segments):
    """The difference of two systems after the outputs whose coins are 1 have changed sides.

    ``coins`` has a row per unit, with one coin, or one for each run; ``units`` has the unit of each segment.
    """
    n_meetings = math.lcm(a.n_runs, b.n_runs)
    difference = 0.0
    for meeting in range(n_meetings):
        piles = np.zeros((2, a.values.shape[2]))
        for segment in segments:
            own = coins[units[segment]]
            coin = int(own[meeting % len(own)])
            piles[coin] += a.values[meeting % a.n_runs, segment]
            piles[1 - coin] += b.values[meeting % b.n_runs, segment]
        difference += float(a.metric.score(piles[0]) - a.metric.score(piles[1]))
    return difference / n_meetings


class Moved:
    """One comparison: the difference, that of each trial, g and w of each unit, and how far it is from linear.

    ``trials`` are coins, (n_trials, n_units, n_coins_of_a_unit); None: all exchanges of the coins that matter.
    """

    def __init__(self, a, b, units, trials=None, segments=None, coins_of_a_unit=1):
        n_units, segments = max(units) + 1, range(a.n_segments) if segments is None else segments
        nothing = np.zeros((n_units, coins_of_a_unit), dtype=int)

        def move(coins):
            return move_outputs(a, b, coins, units, segments)

        self.difference = move(nothing)
        self.gains, self.shares, self.matter = {}, {}, []
        there = sorted({units[one] for one in segments})
        for coin in product(there, range(coins_of_a_unit)):
            alone = nothing.copy()
            alone[coin] = 1
            self.gains[coin] = (self.difference - move(alone)) / 2
            self.shares[coin] = sum(units[one] == coin[0] for one in segments) / len(segments) / coins_of_a_unit
            runs = [(run % a.n_runs, run % b.n_runs) for run in range(math.lcm(a.n_runs, b.n_runs))]
            runs = [runs[coin[1]]] if coins_of_a_unit > 1 else runs
            own = [one for one in segments if units[one] == coin[0]]
            if any((a.values[i, own].sum(axis=0) != b.values[k, own].sum(axis=0)).any() for i, k in runs):
                self.matter.append(coin)
        fixed = np.array(fixed_exchanges(nothing.size))
        places = [unit * coins_of_a_unit + run for unit, run in self.gains]
        linear = (1 - 2 * fixed[:, places]) @ np.array(list(self.gains.values()))
        spread = [move(coins) ** 2 for coins in fixed.reshape(-1, *nothing.shape)]
        self.ratio = sum(spread) / np.sum(linear**2)
        self.exact = trials is None
        if self.exact:
            trials = []
            for values in product([0, 1], repeat=len(self.matter)):
                coins = nothing.copy()
                for coin, value in zip(self.matter, values, strict=True):
                    coins[coin] = value
                trials.append(coins)
        self.trials = np.array([move(coins) for coins in trials])
        thrown = self.matter if self.exact else list(self.shares)
        self.shifts = np.array(
            [sum(self.shares[one] * (1 - 2 * int(coins[one])) for one in thrown) for coins in trials]
        )

    @property
    def sigma(self):
        """The standard deviation of the trials."""
        return math.sqrt(self.ratio * sum(gain**2 for gain in self.gains.values()))

    @property
    def t(self):
        return abs(self.difference) / self.sigma

    @property
    def n_extreme(self):
        return int(np.sum(np.abs(self.trials) >= abs(self.difference) - TIED))

    @property
    def p_value(self):
        return max(self.smallest_p, share(self.n_extreme, len(self.trials), self.exact))

    @property
    def smallest_p(self):
        """Of all exchanges of k coins, two are as extreme as any: no p is below it, however trials are drawn."""
        return 2.0 ** (1 - len(self.matter))

    def reject_not(self, delta, others=(0.0, 0.0)):
        """Which trials lie as far away as the difference if the true one is delta; or the others do: `others_of`.

        For their t, units are of one size: the variance of g - delta / n of n units, whose g add up to the difference.
        What is left of their trials stands for what is left of this one's, with its own sign.
        """
        others, others_left = others
        distance = abs(self.difference - delta) * (1 - 1e-11) - 1e-12
        variance = self.sigma**2 + (delta**2 - 2 * delta * self.difference) * self.square_share
        is_other = others * math.sqrt(max(0.0, variance)) >= distance
        own = np.copysign(others_left * self.spread, self.left) + self.difference * self.shifts
        is_other |= np.abs(own - delta * self.shifts) >= distance
        return (np.abs(self.trials - delta * self.shifts) >= distance) | is_other

    @property
    def left(self):
        """What is left of the trials if the difference is the true one."""
        return self.trials - self.difference * self.shifts

    @property
    def spread(self):
        """The standard deviation of what is left."""
        scale, d = math.sqrt(self.ratio), self.difference
        return math.sqrt(sum((scale * gain - self.shares[coin] * d) ** 2 for coin, gain in self.gains.items()))

    @property
    def square_share(self):
        return 1 / len(self.gains)

    def find_ends(self, others=(0.0, 0.0)):
        """The ends of what more than 5 % of the trials do not reject: by going away from d until a delta is outside.

        ``others`` are those of a family.
        """
        rank = find_rank(len(self.trials), self.exact)
        if rank is None:
            return None, None

        def is_inside(delta):
            return np.sum(self.reject_not(delta, others)) >= rank

        found = []
        for sign in (-1, 1):
            near, step = 0.0, 1e-3 * self.sigma
            while is_inside(self.difference + sign * step):
                near, step = step, 2 * step
                if step > 1e9 * self.sigma:
                    return None, None
            for _ in range(100):
                middle = (near + step) / 2
                near, step = (middle, step) if is_inside(self.difference + sign * middle) else (near, middle)
            found.append(self.difference + sign * near)
        return tuple(found)

    def test_within(self, margin):
        """The larger of two one-sided p: of a true difference of -margin, and of margin, half the share of trials."""
        counts = [int(np.sum(self.reject_not(end))) for end in (-margin, margin)]
        return max(self.smallest_p, *(share(count, len(self.trials), self.exact) for count in counts)) / 2


def share(count, n_trials, exact):
    """p: with drawn trials the outputs as they are count as one more."""
    return count / n_trials if exact else (count + 1) / (n_trials + 1)


def find_rank(n_trials, exact, alpha=0.05):
    """How many must not reject: floor(alpha N) + 1 of all N exchanges, floor(alpha (B + 1)) of B that were drawn."""
    rank = math.floor(alpha * n_trials + 1e-9) + 1 if exact else math.floor(alpha * (n_trials + 1) + 1e-9)
    return None if (exact and 2 / n_trials > alpha + 1e-12) or rank < 1 else rank


def step_down(family):
    """Westfall & Young (1993), Algorithm 4.1: how many trials reach each comparison, never fewer than a higher rank's.

    Trial by trial, for each comparison the largest t of itself and of those that rank below it.
    """
    ranked = sorted(range(len(family)), key=lambda one: -family[one].t)
    counts, at_least = [0] * len(family), 0
    for rank, place in enumerate(ranked):
        count = 0
        for trial in range(len(family[place].trials)):
            largest = max(abs(family[one].trials[trial]) / family[one].sigma for one in ranked[rank:])
            count += largest >= family[place].t - TIED
        at_least = counts[place] = max(at_least, count)
    return counts


def others_of(family):
    """Of each comparison, the largest t of each trial over all others, and the largest that is left, by its spread.

    A copy, which has the same t, is no other.
    """
    left = np.max([np.abs(one.left) / one.spread for one in family], axis=0)
    t = np.array([np.abs(one.trials) / one.sigma for one in family])
    t = [np.where(t < own * (1 - 1e-9), t, np.where(t > own * (1 + 1e-9), t, 0)).max(axis=0) for own in t]
    return [(one, left) for one in t]


def print_ends(ends, difference, significant):
    """What is printed of an interval: cut off at 0 where the test rejects and the interval has 0: (low, high, side)."""
    low, high = ends
    if not significant or low is None or not low <= 0 <= high:
        return low, high, 0
    return (0.0, high, 1) if difference > 0 else (low, 0.0, -1)
